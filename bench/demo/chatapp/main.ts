/**
 * `npm run demo:chatapp`: a chatapp channel, from connect to receipts, at a node of its own and a chat provider on this machine that behaves
 * as the real one is known to. Everything it makes is removed at the end.
 *
 * `npm run demo:chatapp -- --serve [--port 8090]`: the provider alone, for a node of yours (serve.ts).
 */
import { parseArgs } from 'node:util';
import { ChatappProvider } from '../../../test/support/chatapp-provider/index.ts';
import type { Endings } from '../../support/endings.ts';
import { confirmEmail, createChannel, signUp } from '../account.ts';
import { ConsoleStream } from '../console-stream.ts';
import { display, since } from '../display.ts';
import { perform, startNode } from '../perform.ts';
import { connectChannel, openBusiness, registerApp } from './business.ts';
import {
  closedWindow,
  expiredToken,
  freeEntry,
  killedNode,
  pictureAndAnswer,
  type Setting,
} from './scenes.ts';
import { serve } from './serve.ts';

const defaultPort = 8_090;

async function setUp(endings: Endings): Promise<Setting> {
  display.title('A chatapp channel, from nothing');
  const provider = await ChatappProvider.start();
  endings.teardown(() => provider.stop());
  const { server, folder } = await startNode(endings, { CHATAPP_GRAPH_URL: provider.url });
  const account = await signUp(server.url);
  await confirmEmail(account, folder);
  display.hop('signed up, e-mail address confirmed', undefined, account.email);
  const { api, projectId, accessToken } = account;
  const business = openBusiness(provider);
  const partnerAppCredentialId = await registerApp(api, business);
  display.hop("the provider's app registered: its secret verifies webhooks", undefined, business.app.id);
  const channelId = await createChannel(api, account, 'Chat', 'chatapp');
  display.hop('chatapp channel created, not connected yet', undefined, channelId);

  const from = performance.now();
  const token = provider.accounts.addToken(business.app, business.account);
  const code = provider.accounts.addCode(token);
  const given = { code, partnerAppCredentialId };
  const { status, displayPhoneNumber } = await connectChannel(api, { projectId, channelId }, given);
  if (status !== 'connected') throw new Error(`the channel is ${status}`);
  display.hop(
    'connected by a code: exchanged, checked, subscribed, registered',
    since(from),
    displayPhoneNumber ?? '',
  );
  for (const request of provider.requests) display.note(request);
  const stream = new ConsoleStream(server.url, projectId, accessToken);
  endings.teardown(() => Promise.resolve(stream.close()));
  await stream.open();
  return { server, provider, business, stream, api, projectId, channelId, partnerAppCredentialId };
}

async function demonstrate(endings: Endings): Promise<void> {
  const setting = await setUp(endings);
  await pictureAndAnswer(setting);
  await closedWindow(setting);
  await freeEntry(setting);
  await expiredToken(setting);
  await killedNode(setting);
  display.title('Done');
  display.note('docs/guide/channels.md shows the same with curl.');
}

const { values } = parseArgs({
  options: { serve: { type: 'boolean' }, port: { type: 'string' }, help: { type: 'boolean' } },
});
const port = Number(values.port ?? defaultPort);
if (values.help === true || !Number.isInteger(port)) {
  console.error('Usage: npm run demo:chatapp [-- --serve [--port 8090]]');
  process.exitCode = values.help === true ? 0 : 2;
} else if (values.serve === true) await serve(port);
else await perform(demonstrate);
