/** Workers and the like have the web's globals, and nothing of Node: no process, no Buffer, no require. The same bundle runs there. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { build as bundle } from 'esbuild';
import t from 'tap';
import { shareSdkAccount } from './sdk-account.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const names = [
  ...[
    'AbortController',
    'AbortSignal',
    'Blob',
    'Headers',
    'ReadableStream',
    'Request',
    'Response',
    'TextDecoder',
  ],
  ...[
    'TextEncoder',
    'URL',
    'URLSearchParams',
    'WebSocket',
    'atob',
    'btoa',
    'clearTimeout',
    'crypto',
    'fetch',
    'setTimeout',
  ],
];
const globals = Object.fromEntries(names.map(name => [name, Reflect.get(globalThis, name) as unknown]));

const script = `(async () => {
  const skein = new sdk.Skein({ apiKey, baseUrl, maxRetries: 0 });
  const first = (await skein.stream().next()).value.type;
  const { threadId } = await skein.channels.receive(channelId, { externalParticipantRef: 'a', body: 'Hello' });
  const bodies = [];
  for await (const { body } of skein.messages.list(threadId)) bodies.push(body);
  const attachmentId = await skein.attachments.upload(new Blob(['a,b']), { onProgress: () => undefined });
  const raw = JSON.stringify({ eventName: 'stitch.test.ping' });
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const headers = await webhooks.signBody(secret, raw);
  const request = new Request('http://handler.test', { method: 'POST', headers, body: raw });
  const { eventName } = await webhooks.constructEvent(secret, request);
  let missing = '';
  try { new sdk.Skein(); } catch (error) { missing = error.message; }
  return JSON.stringify({ first, bodies, isUploaded: attachmentId.startsWith('att_'), eventName, missing });
})()`;

t.test('calls, the stream, an upload and a webhook with web globals only', async t => {
  const { apiKey, baseUrl, channelId } = await shareSdkAccount(t);
  const context = createContext({ ...globals, apiKey, baseUrl, channelId });
  for (const [entry, globalName] of [
    ['index', 'sdk'],
    ['webhooks', 'webhooks'],
  ] as const) {
    const { outputFiles } = await bundle({
      entryPoints: [join(root, 'clients', 'sdk', `${entry}.ts`)],
      bundle: true,
      write: false,
      format: 'iife',
      globalName,
    });
    runInContext(outputFiles[0]?.text ?? '', context);
  }
  t.strictSame(JSON.parse((await runInContext(script, context)) as string), {
    first: 'resumed',
    bodies: ['Hello'],
    isUploaded: true,
    eventName: 'stitch.test.ping',
    missing: 'Skein: there is no apiKey, and no SKEIN_API_KEY',
  });
});
