/**
 * Generators of others, as they are: the document that a node serves goes through each, what comes out compiles, and five calls by it work.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build as bundle } from 'esbuild';
import t from 'tap';
import { shareSdkAccount } from './sdk-account.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), `skein-generators-${process.pid}-`));
t.teardown(() => rm(folder, { recursive: true, force: true }));

/** What a command prints, run in the folder; it rejects with that when it fails. */
async function run(command: string, args: readonly string[], variables = {}): Promise<string> {
  const path = [dirname(process.execPath), join(root, 'node_modules', '.bin'), process.env['PATH']];
  try {
    const { stdout } = await promisify(execFile)(command, args, {
      cwd: folder,
      env: { PATH: path.join(delimiter), HOME: folder, DO_NOT_TRACK: '1', ...variables },
      shell: process.platform === 'win32',
    });
    return stdout;
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    throw new Error(`${command} failed:\n${stdout}\n${stderr}`, { cause: error });
  }
}

/** What is written by hand for each: the same five calls, and a switch over events. */
const consumers = {
  // Types alone: the calls are fetch.
  'openapi-typescript.ts': `
import type { components, paths } from './types.ts';
type Schemas = components['schemas'];
async function call<T>(method: string, path: keyof paths | (string & {}), body?: unknown): Promise<T> {
  const answer = await fetch(baseUrl + '/v1' + path, {
    method,
    headers: { authorization: 'Bearer ' + apiKey, 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return await answer.json() as T;
}
const channelBody: Schemas['CreateChannelBody'] = { name: 'A', kind: 'sandbox' };
const channel = await call<Schemas['Channel']>('POST', '/channels', channelBody);
const inbound: Schemas['InboundMessageBody'] = { externalParticipantRef: 'a', body: 'Hi' };
const { threadId } = await call<Schemas['Message']>('POST', \`/channels/\${channel.channelId}/inbound-messages\`, inbound);
const outbound: Schemas['CreateMessageBody'] = { body: 'Hello' };
await call<Schemas['Message']>('POST', \`/threads/\${threadId}/messages\`, outbound);
type ListThreads = paths['/threads']['get']['responses'][200]['content']['application/json'];
const threads = await call<ListThreads>('GET', '/threads?limit=1');
const messages = await call<Schemas['MessageList']>('GET', \`/threads/\${threadId}/messages\`);
report(threads.data.length, messages.data.map(message => message.body));
export const describe = (event: Schemas['Event']): string =>
  event.eventName === 'thread.message.received' ? event.data.message.body : event.eventName;
`,
  'hey-api.ts': `
import * as api from './hey/index';
import { client } from './hey/client.gen';
client.setConfig({ auth: () => apiKey, throwOnError: true });
const key = () => ({ 'Idempotency-Key': crypto.randomUUID() });
const channel = await api.createChannel({ body: { name: 'A', kind: 'sandbox' }, throwOnError: true });
const { data } = await api.createInboundMessage({
  path: { channelId: channel.data.channelId }, headers: key(),
  body: { externalParticipantRef: 'a', body: 'Hi' }, throwOnError: true,
});
const path = { threadId: data.threadId };
await api.createMessage({ path, headers: key(), body: { body: 'Hello' }, throwOnError: true });
const threads = await api.listThreads({ query: { limit: 1 }, throwOnError: true });
const messages = await api.listMessages({ path, throwOnError: true });
report(threads.data.data.length, messages.data.data.map(message => message.body));
export const describe = (event: api.Event): string =>
  event.eventName === 'thread.message.received' ? event.data.message.body : event.eventName;
`,
  'orval-fetch.ts': `
import * as api from './orval';
const headers = (): RequestInit => ({
  headers: { authorization: 'Bearer ' + apiKey, 'idempotency-key': crypto.randomUUID() },
});
const channel = await api.createChannel({ name: 'A', kind: 'sandbox' }, headers());
if (channel.status !== 201) throw new Error(channel.data.message);
const inbound = { externalParticipantRef: 'a', body: 'Hi' };
const received = await api.createInboundMessage(channel.data.channelId, inbound, headers());
if (received.status !== 201) throw new Error(received.data.message);
const { threadId } = received.data;
await api.createMessage(threadId, { body: 'Hello' }, {}, headers());
const threads = await api.listThreads({ limit: 1 }, headers());
const messages = await api.listMessages(threadId, {}, headers());
if (threads.status !== 200 || messages.status !== 200) throw new Error('not listed');
report(threads.data.data.length, messages.data.data.map(message => message.body));
export const describe = (event: api.Event): string =>
  event.eventName === 'thread.message.received' ? event.data.message.body : event.eventName;
`,
};

const head = `
declare const process: { readonly env: Record<string, string> };
const apiKey = process.env['API_KEY']!;
export const baseUrl = process.env['BASE_URL']!;
const report = (threads: number, bodies: readonly string[]): void => console.log(threads, bodies.join());
`;

t.test('openapi-typescript, hey-api and orval', async t => {
  const { baseUrl, apiKey } = await shareSdkAccount(t);
  const document = await (await fetch(`${baseUrl}/v1/openapi.json`)).text();
  await writeFile(join(folder, 'openapi.json'), document);
  await writeFile(
    join(folder, 'orval.config.mjs'),
    `const output = { target: 'orval.ts', client: 'fetch', baseUrl: { getBaseUrlFromSpecification: true } };
export default { skein: { input: 'openapi.json', output } };\n`,
  );
  await run('openapi-typescript', ['openapi.json', '-o', 'types.ts']);
  await run('openapi-ts', ['-i', 'openapi.json', '-o', 'hey', '-c', '@hey-api/client-fetch', '--silent']);
  await run('orval', []);
  const names = Object.keys(consumers);
  for (const [name, text] of Object.entries(consumers)) await writeFile(join(folder, name), head + text);
  const compiling = run('tsc', [
    ...['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2022,dom,dom.iterable,dom.asynciterable'],
    ...['--module', 'esnext', '--moduleResolution', 'bundler', '--allowImportingTsExtensions', ...names],
  ]);
  for (const name of names) {
    const outfile = join(folder, name.replace('.ts', '.mjs'));
    const options = { bundle: true, format: 'esm', target: 'node22', logLevel: 'error' } as const;
    await bundle({ entryPoints: [join(folder, name)], outfile, ...options });
    const printed = await run(process.execPath, [outfile], { API_KEY: apiKey, BASE_URL: baseUrl });
    t.equal(printed, '1 Hi,Hello\n', name);
  }
  await compiling;
  t.pass('and it compiles, strictly');
});
