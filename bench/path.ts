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

/** The functions that ran: `file function`. */
type Path = ReadonlySet<string>;

interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly count: number }[];
  }[];
}

/** Gives the functions that ran since the last call. The answers of the session are synchronous. */
function takeCoverage(session: Session): Path {
  let scripts: readonly ScriptCoverage[] = [];
  session.post('Profiler.takePreciseCoverage', (error, { result }) => {
    if (error !== null) throw new Error('the coverage could not be taken', { cause: error });
    scripts = result;
  });
  const path = new Set<string>();
  for (const { url, functions } of scripts) {
    if (!url.startsWith('file:') || url.endsWith('/index.ts')) continue;
    const file = relative(root, fileURLToPath(url)).replaceAll('\\', '/');
    if (!layers.some(layer => file.startsWith(`${layer}/`))) continue;
    for (const { functionName, ranges } of functions) {
      if ((ranges[0]?.count ?? 0) > 0) path.add(`${file} ${functionName}`);
    }
  }
  return path;
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
  database.endings.teardown(() => node.stop());
  console.log(show(await follow(await inboundRequest(node.url))));
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

/** Gives the functions that ran in every sample. */
async function follow(send: Send): Promise<Path> {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  let taken: Path | undefined;
  const unwatch = watchAnswers(() => (taken = takeCoverage(session)));
  let common: Path | undefined;
  for (let i = 0; i < samples; i++) {
    // The first of two messages fetches what is cached for a second (the key, the channel, the leases).
    await send();
    takeCoverage(session);
    await send();
    const now: Path | undefined = taken;
    if (now === undefined) throw new Error('no message was answered 201');
    common = common === undefined ? now : new Set([...common].filter(each => now.has(each)));
  }
  session.disconnect();
  unwatch();
  return common ?? new Set();
}

function show(passed: Path): string {
  const byFile = Map.groupBy(passed, each => each.split(' ')[0] ?? '');
  const lines: string[] = [];
  for (const layer of layers) {
    const files = [...byFile.keys()].filter(file => file.startsWith(`${layer}/`)).sort();
    lines.push(`\n${layer}: ${files.length}\n`);
    for (const file of files) {
      const names = (byFile.get(file) ?? []).map(each => each.slice(file.length + 1)).filter(Boolean);
      lines.push(process.env['PATH_FUNCTIONS'] === '1' ? `  ${file}  (${names.join(', ')})` : `  ${file}`);
    }
  }
  return `${byFile.size} files of ours, index.ts files not counted\n${lines.join('\n')}`;
}
