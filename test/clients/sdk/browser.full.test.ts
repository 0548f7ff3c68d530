/** The client in a browser, on a page of another origin: calls, an upload, and the stream by a ticket. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as bundle } from 'esbuild';
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { startTestDatabase } from '../../support/database.ts';
import { startSkeinOn } from '../../support/skein.ts';
import { createSdkAccount } from './sdk-account.ts';

/** What the page does with the client, and what comes of it. */
const script = `
async function use({ baseUrl, projectId, channelId, token }) {
  const skein = new sdk.Skein({ apiKey: () => token, baseUrl, projectId });
  const stream = skein.stream();
  const first = (await stream.next()).value.type;
  const inbound = { externalParticipantRef: 'customer-42', body: 'Hello' };
  const { data, requestId } = await skein.channels.receive(channelId, inbound).withResponse();
  const names = [];
  while (names.at(-1) !== 'thread.message.received') {
    const { value } = await stream.next();
    if (value.type === 'event') names.push(value.event.eventName);
  }
  await stream.return();
  const progress = [];
  const attachmentId = await skein.attachments.upload(new File(['a,b'], 'a.csv', { type: 'text/csv' }), {
    onProgress: (sent, total) => progress.push([sent, total]),
  });
  const attachments = [{ kind: 'document', attachmentId }];
  const message = await skein.messages.create(data.threadId, { body: 'Here', attachments });
  const refused = await skein.threads.get('thread_none').catch(error => error.kind + ' ' + error.status);
  return { first, names, progress, filename: message.attachments[0].filename, refused, hasId: requestId !== undefined };
}`;

t.test('from another origin', async t => {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  const { outputFiles } = await bundle({
    entryPoints: [join(root, 'clients', 'sdk', 'index.ts')],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'sdk',
  });
  const page = `<!doctype html><script>${outputFiles[0]?.text}\n${script}</script>`;
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { url } = await startTestDatabase(t);
  const account = await createSdkAccount((await startSkeinOn(t, url, { CORS_ORIGINS: origin })).url);
  const { baseUrl, projectId, channelId, accessToken: token } = account;
  const tab = await (await startChromium(t)).newPage();
  await tab.goto(`${origin}/`);
  const work = `use(${JSON.stringify({ baseUrl, projectId, channelId, token })})`;
  const done = await tab.evaluate<string>(`${work}.then(JSON.stringify, error => String(error.stack))`);
  t.strictSame(JSON.parse(done), {
    first: 'resumed',
    names: ['thread.lifecycle.created', 'thread.message.received'],
    progress: [
      [0, 3],
      [3, 3],
    ],
    filename: 'a.csv',
    refused: 'api 404',
    hasId: true,
  });
});
