/**
 * Which of our files one inbound message passes through: every product file in which a function ran between the request and its
 * 201, by V8's precise coverage. Caches, the thread and the leases on rate limits are warm, as on a busy node.
 *
 * The node runs in this process. Each of many messages is looked at by itself, up to the moment at which its answer is written; a file
 * counts when all of them passed through it, so that a timer that went off meanwhile is not part of the path. Functions of a file
 * that had begun before the request, and only go on after an `await`, do not count: V8 counts calls.
 */
import { Session } from 'node:inspector';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../gateway/config/config.ts';
import { ResponseHead } from '../gateway/http/headers.ts';
import { startSkein } from '../gateway/composition/start.ts';
import { silentLog } from '../runtime/observability/log.ts';
import { createApiKey, createChannel, signUp } from './demo/account.ts';
import { Api } from './demo/api.ts';
import { freePort } from './demo/server.ts';
import type { BenchDatabase } from './support/bench-database.ts';
import { quick } from './support/turns.ts';

/** The layers, in the order in which a request meets them. */
const layers = ['gateway', 'actors', 'storage', 'runtime', 'protocol'] as const;
const root = fileURLToPath(new URL('..', import.meta.url));
const samples = quick(30, 3);

/** By file, the functions that ran. */
type Path = ReadonlyMap<string, ReadonlySet<string>>;

interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly count: number }[];
  }[];
}

/** Counts the calls in this process; what it tells is told at once. */
class Coverage {
  readonly #session = new Session();

  start(): void {
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  }

  /** What has run since the last time. */
  take(): Path {
    let scripts: readonly ScriptCoverage[] = [];
    this.#session.post('Profiler.takePreciseCoverage', (error, { result }) => {
      if (error !== null) throw new Error('the coverage could not be taken', { cause: error });
      scripts = result;
    });
    const path = new Map<string, Set<string>>();
    for (const { url, functions } of scripts) {
      const file = productFile(url);
      if (file === undefined) continue;
      const called = functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0);
      if (called.length > 0) path.set(file, new Set(called.map(({ functionName }) => functionName)));
    }
    return path;
  }

  stop(): void {
    this.#session.disconnect();
  }
}

/** The file's path in the repository; undefined for what is no file of a layer, and for a module's index.ts, which only re-exports. */
function productFile(url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined;
  const file = relative(root, fileURLToPath(url)).replaceAll('\\', '/');
  const isProduct = layers.some(layer => file.startsWith(`${layer}/`));
  return isProduct && !file.endsWith('/index.ts') ? file : undefined;
}

/** Calls `onCreated` whenever a 201 has been written. */
function watchAnswers(onCreated: () => void): () => void {
  const { write } = ResponseHead.prototype;
  ResponseHead.prototype.write = function (...given) {
    write.apply(this, given);
    if (given[1].status === 201) onCreated();
  };
  return () => (ResponseHead.prototype.write = write);
}

/** Prints the files, by layer. With `PATH_FUNCTIONS=1` the functions as well. */
export async function run(database: BenchDatabase): Promise<void> {
  const port = await freePort();
  const node = await startSkein(
    readConfig({
      DATABASE_URL: await database.create('skein_path'),
      DATA_DIR: join(database.folder, 'skein_path'),
      HOST: '127.0.0.1',
      PORT: String(port),
      GRPC_PORT: 'off',
      // So that the leases of the project and of the thread last.
      RATE_LIMITS: JSON.stringify({
        messageProject: { limit: 10_000, windowSeconds: 1 },
        messageThread: { limit: 10_000, windowSeconds: 1 },
      }),
    }),
    silentLog,
  );
  try {
    const passed = await follow(await inboundRequest(node.url));
    console.log(show(passed));
  } finally {
    await node.stop();
  }
}

/** Sends one message. */
type Send = () => Promise<void>;

async function inboundRequest(url: string): Promise<Send> {
  const { api, projectId, environmentId } = await signUp(url);
  const channelId = await createChannel(api, { projectId, environmentId }, 'Path');
  const own = new Api(url, await createApiKey(api, projectId, 'Path'));
  let sent = 0;
  return async () => {
    const message = { projectId, externalParticipantRef: 'participant', body: 'Hello?' };
    await own.post(`/channels/${channelId}/inbound-messages`, message, `path-${++sent}`);
  };
}

/** What all samples have passed through. */
async function follow(send: Send): Promise<Path> {
  const coverage = new Coverage();
  let taken: Path | undefined;
  const unwatch = watchAnswers(() => (taken = coverage.take()));
  coverage.start();
  try {
    let common: Path | undefined;
    for (let i = 0; i < samples; i++) {
      // What is kept in memory for a second (the key, the channel, the leases) is fetched by the first of two.
      await send();
      coverage.take();
      await send();
      if (taken === undefined) throw new Error('no message was answered 201');
      common = common === undefined ? taken : inBoth(common, taken);
    }
    return common ?? new Map();
  } finally {
    coverage.stop();
    unwatch();
  }
}

function inBoth(one: Path, other: Path): Path {
  const both = new Map<string, ReadonlySet<string>>();
  for (const [file, functions] of one) {
    const others = other.get(file);
    const common = others === undefined ? [] : [...functions].filter(name => others.has(name));
    if (common.length > 0) both.set(file, new Set(common));
  }
  return both;
}

function show(passed: Path): string {
  const lines: string[] = [];
  for (const layer of layers) {
    const files = [...passed.keys()].filter(file => file.startsWith(`${layer}/`)).sort();
    lines.push(`\n${layer}: ${files.length}\n`);
    for (const file of files) {
      const names = [...(passed.get(file) ?? [])].filter(name => name !== '').join(', ');
      lines.push(process.env['PATH_FUNCTIONS'] === '1' ? `  ${file}  (${names})` : `  ${file}`);
    }
  }
  return `${passed.size} files of ours, index.ts files not counted\n${lines.join('\n')}`;
}
