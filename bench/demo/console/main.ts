/**
 * `npm run demo:console`: a node, twenty customers who write, an agent that answers some of them and suggests to others, a colleague, and the
 * Console to sign in to. Until Ctrl-C; then everything that it has made is removed.
 *
 * The agent thinks with the model that `LLM_PROVIDER_1_URL` and `MODEL` name, else by a script (models.ts). `PORT`: where the node listens;
 * default: a free one.
 */
import { rm } from 'node:fs/promises';
import { display } from '../display.ts';
import { freePort, Server, temporaryFolder } from '../server.ts';
import { ChatNumber } from './chat.ts';
import { workAsColleague } from './colleague.ts';
import { customers } from './customers.ts';
import { chooseModel } from './models.ts';
import { OrderSystem } from '../order-system.ts';
import { beginConversations, say } from './scenes.ts';
import { openShop, operators, password, type Shop } from './shop.ts';
import { Simulator } from './simulator.ts';

/** The app's reason, where something cannot be delivered. */
const switchedOff = { code: 'unreachable', message: 'The phone has been switched off for two days' };

/** Brings what leaves over the app of the shop to its customers, until the signal. */
async function deliver({ skein, channelId }: Shop, simulator: Simulator, signal: AbortSignal): Promise<void> {
  for await (const item of skein.stream({ signal })) {
    if (item.type !== 'event' || item.event.eventName !== 'channel.message.requested') continue;
    const { message, externalRef } = item.event.data;
    if (typeof externalRef !== 'string' || item.event.data.channelId !== channelId) continue;
    const { messageId } = message;
    simulator.deliver(externalRef, {
      report: async status => {
        const error = status === 'failed' ? { error: switchedOff } : {};
        const receipt = { messageId, status, occurredAt: new Date().toISOString(), ...error };
        await skein.channels.recordReceipt(channelId, receipt);
      },
    });
  }
}

const ending = new AbortController();
const { signal } = ending;
// npm and the launcher repeat a signal: any but the first changes nothing, and must not end what takes everything away.
for (const each of ['SIGINT', 'SIGTERM'] as const) process.on(each, () => ending.abort());
const folder = await temporaryFolder('skein-demo-');
const model = await chooseModel();
const chat = await ChatNumber.open();
const orders = new OrderSystem();
const server = new Server(Number(process.env['PORT'] ?? (await freePort())), {
  DATA_DIR: folder,
  LLM_PROVIDER_1_URL: model.url,
  CHATAPP_GRAPH_URL: chat.url,
});
try {
  display.title('The Console, with a shop whose customers write');
  display.hop('node started, embedded PostgreSQL initialised', await server.start(), server.url);
  const shop = await openShop({ baseUrl: server.url, dataFolder: folder, model, orders, chat });
  display.hop('a shop, two operators, two channels');
  display.hop(`an agent with two tools, and ${model.description}`);
  const lines = { shop, chat };
  const simulator = new Simulator({
    say: (customer, body) => say(lines, customer, body),
    unreachable: new Set(['david-cohen']),
    signal,
  });
  chat.onSent((ref, answer) => simulator.deliver(ref, answer));
  const living = [deliver(shop, simulator, signal)];
  const { said, colleaguesThreadId: threadId } = await beginConversations(lines);
  display.hop(`${customers.length} conversations, in every queue and every state`);
  display.title('Sign in');
  display.note(`${server.url}/console`);
  for (const { email } of operators) display.note(`${email}, password: ${password}`);
  display.note('The second one is at work already, in a conversation of his own.');
  display.note('Ctrl-C ends it, and removes everything.');
  const colleague = { baseUrl: server.url, email: operators[1].email, shop, threadId, signal };
  living.push(workAsColleague(colleague));
  living.push(...customers.map(customer => simulator.run(customer, said.get(customer) ?? 0)));
  await Promise.all(living);
} catch (error) {
  if (!signal.aborted) {
    display.fail(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
} finally {
  ending.abort();
  await server.stop();
  await chat.stop();
  await orders.close();
  await model.stop();
  await rm(folder, { recursive: true, force: true });
}
