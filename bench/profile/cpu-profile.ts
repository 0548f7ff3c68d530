/** Reads processor profiles of Node, as `--cpu-prof` writes them at the end of a process: one file for each thread. */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The parts of V8's format that are read. */
interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: {
      readonly functionName: string;
      readonly url: string;
      readonly lineNumber: number;
    };
  }[];
  /** Ids of nodes. */
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
  /** Microseconds of the machine's monotonic clock. */
  readonly startTime: number;
}

/** By the machine's monotonic clock, in microseconds: the same in all processes. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A function, as a profile names it, and the microseconds of its own in the span: what it calls counts for that. */
export interface OwnTime {
  readonly name: string;
  /** A file of the project, of a package (`node_modules/...`) or of Node (`node:...`); empty for what is no JavaScript. */
  readonly file: string;
  readonly line: number;
  readonly micros: number;
}

/** The time of each function, the dearest first: of the main thread, and of all workers together. Waiting counts for nothing. */
export interface ProcessProfile {
  readonly main: readonly OwnTime[];
  readonly workers: readonly OwnTime[];
}

export const monotonicMicros = (): number => Number(process.hrtime.bigint() / 1_000n);

/** @param folder has the files of this process, and perhaps of others */
export async function readProcessProfile(folder: string, pid: number, span: Span): Promise<ProcessProfile> {
  // CPU.<date>.<time>.<process>.<thread>.<number>.cpuprofile; the main thread is 0.
  const files = (await readdir(folder)).filter(name => name.split('.')[3] === String(pid));
  const read = async (names: readonly string[]): Promise<OwnTime[]> => {
    const profiles = await Promise.all(names.map(name => readFile(join(folder, name), 'utf8')));
    return sum(
      profiles.map(text => JSON.parse(text) as Profile),
      span,
    );
  };
  const isMain = (name: string): boolean => name.split('.')[4] === '0';
  const main = files.filter(isMain);
  if (main.length !== 1) throw new Error(`${main.length} profiles of the main thread in ${files.join(', ')}`);
  return { main: await read(main), workers: await read(files.filter(name => !isMain(name))) };
}

function sum(profiles: readonly Profile[], { from, to }: Span): OwnTime[] {
  const times = new Map<string, OwnTime>();
  for (const { nodes, samples, timeDeltas, startTime } of profiles) {
    const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
    let at = startTime;
    for (const [i, id] of samples.entries()) {
      const micros = timeDeltas[i] ?? 0;
      at += micros;
      const frame = frames.get(id);
      if (at < from || at > to || frame === undefined || frame.functionName === '(idle)') continue;
      const { functionName, url, lineNumber } = frame;
      const key = `${functionName} ${url} ${lineNumber}`;
      const known = times.get(key)?.micros ?? 0;
      times.set(key, {
        name: functionName === '' ? 'anonymous' : functionName,
        file: url.startsWith('file:') ? relative(root, fileURLToPath(url)) : url,
        line: lineNumber + 1,
        micros: known + micros,
      });
    }
  }
  return [...times.values()].sort((a, b) => b.micros - a.micros);
}

/** Where in the code a function is, in the words of docs/develop/architecture.md. */
export function toArea({ name, file }: OwnTime): string {
  if (name === '(garbage collector)') return 'garbage collection';
  if (file === '') return 'native code, system calls with it';
  if (file.startsWith('node:')) return 'Node: streams, sockets, timers, crypto';
  const [, scope = '', second = ''] = file.startsWith('node_modules/') ? file.split('/') : [];
  if (scope !== '') return `package ${scope.startsWith('@') ? `${scope}/${second}` : scope}`;
  return `${file.split('/')[0] ?? ''}/`;
}
