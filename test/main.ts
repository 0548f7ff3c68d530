/**
 * `npm run tap [-- file ...]`: every test file, or those named, one process more at once than there are processors. In most folders a few
 * files share a process (batch.ts); a file that is named alone has its own.
 * TAP 14 on the standard output, tap's display on a terminal; what failed is said once more at the end. Exit code 1 when a test fails.
 *
 * Plain Node runs the files. The `tap` command would load each, and each process that it starts, with the hooks of its coverage, its
 * mocks and its compiler, of which nothing here makes use: 1.2 of the 2.9 s of processor time of test/gateway/handlers/threads.test.ts.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter } from 'node:path';
import { Readable } from 'node:stream';
import { inspect } from 'node:util';
import { report } from '@tapjs/reporter';
import t from 'tap';
import { nodeOptions } from '../.config/node-options.js';
import './support/module-cache.js';
import { removeLeftovers } from './support/leftovers.ts';
import { moduleCacheEnvironment, moduleCacheOptions } from './support/module-cache-options.ts';

/**
 * After which a file is told to say where it hangs; and for how long a process may say nothing until it is killed. Far more than any file
 * needs on a slow machine that has other things to do: this ends a test that hangs, and nothing else.
 */
const timeoutSeconds = 900;
const silenceMs = (timeoutSeconds + 10) * 1_000;
/** Files that wait more than they compute: for leases to end, processes to start, receivers to time out. */
const waiting = ['test/cluster/', 'test/node/', 'test/chatapp/'];
/** Where files leave nothing behind in their process, so that up to as many as are said here share one. */
const sharing: readonly (readonly [area: RegExp, most: number])[] = [
  [/^test\/clients\/kit\/|^test\/clients\/(?:console|studio)\/.+\//, 16],
  // In a browser, which they share as well.
  [/^test\/clients\/(?:console|studio)\//, 4],
  [/^test\/(?:actors|gateway|protocol|runtime|storage)\//, 8],
];
/** Those that do not. */
const unshared = [
  // Starts processes only, and many.
  'test/gateway/keys.test.ts',
  'test/gateway/composition/start.test.ts',
  'test/storage/backup/backup.test.ts',
  'test/clients/console/demo.test.ts',
  // Counts turns of the event loop.
  'test/gateway/http/close.test.ts',
  // Leaves a call open.
  'test/gateway/grpc/reflection.test.ts',
];
/** A file that takes long must not begin when all others have ended. */
const longestFirst = ['test/contract/isolation', 'test/contract/', 'test/simulation/', 'test/clients/'];

/** The display asks for one option, whether to show comments, and for it alone of the whole of tap's configuration. */
const displayOptions = { get: () => undefined } as unknown as Parameters<typeof report>[2];

const startsWithOne = (file: string, starts: readonly string[]): boolean =>
  starts.some(start => file.startsWith(start));
const rank = (file: string): number => longestFirst.findIndex(start => file.startsWith(start)) >>> 0;

/** Ended by itself, or killed. */
type Exit = readonly [code: number | null, signal: NodeJS.Signals | null];

/** Files that share a process. */
type Batch = readonly [string, ...string[]];

/** What takes longest comes first: by `longestFirst`, then by the number of files. */
function toBatches(files: readonly string[]): Batch[] {
  const byArea = Map.groupBy(files, file =>
    unshared.includes(file) ? -1 : sharing.findIndex(([area]) => area.test(file)),
  );
  const batches = [...byArea].flatMap(([at, members]) => split(members, sharing[at]?.[1] ?? 1));
  return batches.sort((a, b) => rank(a[0]) - rank(b[0]) || b.length - a.length || a[0].localeCompare(b[0]));
}

/** Into as few batches as there can be, which differ by one file at most. */
function split(files: readonly string[], most: number): Batch[] {
  const count = Math.ceil(files.length / most);
  return Array.from(
    { length: count },
    (_, at) =>
      files.slice((at * files.length) / count, ((at + 1) * files.length) / count) as unknown as Batch,
  );
}

const toName = (batch: Batch): string =>
  batch.length === 1 ? batch[0] : `${batch[0]} and ${batch.length - 1} more`;

/** The process is started when its output is asked for. */
async function* streamOutput(batch: Batch, exited: (exit: Exit) => void): AsyncGenerator<Buffer> {
  const program = batch.length === 1 ? batch[0] : 'test/batch.ts';
  const test = spawn(process.execPath, [...nodeOptions, ...moduleCacheOptions, program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      ...moduleCacheEnvironment,
      TAP_TIMEOUT: String(timeoutSeconds),
      BATCH: batch.join(delimiter),
      BATCH_TIMEOUT: String(timeoutSeconds),
    },
  });
  const kill = (): unknown => test.kill('SIGKILL');
  process.once('exit', kill);
  const ended = once(test, 'close') as Promise<unknown> as Promise<Exit>;
  const silence = setTimeout(kill, silenceMs);
  for await (const said of test.stdout) {
    silence.refresh();
    yield said as Buffer;
  }
  exited(await ended);
  clearTimeout(silence);
  process.off('exit', kill);
}

/** What failed, each with where and why: its place in the output is some ten thousand lines up. */
const failures: string[] = [];
t.parser.on('result', ({ ok, todo, skip, fullname, diag }) => {
  if (!ok && !todo && !skip) failures.push(`${fullname}\n${inspect(diag)}`);
});

async function run(batch: Batch): Promise<void> {
  const name = toName(batch);
  let failure: string | undefined;
  const output = streamOutput(batch, ([code, signal]) => {
    if (code !== 0) failure = `${name} ended with ${signal ?? code}`;
  });
  const results = await t.stdin(name, {
    tapStream: Readable.from(output),
    buffered: true,
  });
  if (failure === undefined) return;
  // All that it has said may be fine; and of output that ends too soon no assertion tells.
  if (results?.ok !== false) t.fail(failure);
  else failures.push(failure);
}

const named = process.argv.slice(2);
const files = globSync(named.length > 0 ? named : 'test/**/*.test.ts').sort();
if (files.length === 0) throw new RangeError(`no test file is named ${named.join(' ')}`);

await removeLeftovers();
if (process.stdout.isTTY) await report('base', t, displayOptions);
t.setTimeout(0);
// One more than there are processors, because some wait at any time. With twice as many two processors were never idle, either, and tests in the
// browser waited for them in vain.
const lanes = availableParallelism() + 1;
t.jobs = lanes;
const [waitingFiles, computingFiles] = [true, false].map(waits =>
  toBatches(files.filter(file => startsWithOne(file, waiting) === waits)),
) as [Batch[], Batch[]];
const runLane = async (at: number): Promise<void> => {
  const [first, second] = at % 2 === 0 ? [waitingFiles, computingFiles] : [computingFiles, waitingFiles];
  for (let batch; (batch = first.shift() ?? second.shift()) !== undefined;) await run(batch);
};
await Promise.all(Array.from({ length: lanes }, (_, at) => runLane(at)));
for (const failure of failures) t.comment(`failed: ${failure}`);
t.end();
