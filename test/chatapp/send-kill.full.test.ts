/** A node that is killed while it sends: the provider gets no message twice, and what it got is known, however the node has ended. */
import t from 'tap';
import type { Message } from '../../protocol/resources/message.ts';
import type { Thread } from '../../protocol/resources/thread.ts';
import { pickPort } from '../support/free-port.ts';
import { startChatapp } from '../gateway/handlers/chatapp-fixture.ts';
import { eventually } from '../support/eventually.ts';
import { NodeProcess } from '../support/node-process.ts';

const participants = 60;
/** The node is killed when the provider has taken that many messages, before it answers the last of them. */
const lives = [4, 20, 45];

t.test(`${lives.length} times SIGKILL between a message and its answer`, async t => {
  const port = await pickPort();
  const { provider, database, databaseUrl, environment, skein, tenant, connected } = await startChatapp(t, {
    PORT: String(port),
  });
  const { projectId, key, person } = tenant;
  const { channelId, number } = await connected();
  // Longer than a start takes.
  provider.deliveries.retryMs = Array.from({ length: 200 }, () => 250);
  const phones = Array.from({ length: participants }, (_, index) => String(15_551_000_000 + index));
  const text = { type: 'text', text: { body: 'Hello' } };
  await Promise.all(phones.map(phone => provider.write(number, { phone }, text)));
  const threads = () => person.all<Thread>('listThreads', { query: { projectId, channelId } });
  await eventually('threads', async () => (await threads()).length === participants);
  const threadIds = (await threads()).map(({ threadId }) => threadId);
  // What is queued stays: nobody is there who would send it.
  await skein.stop();
  const node = await NodeProcess.make(t, { ...environment, DATABASE_URL: databaseUrl, PORT: String(port) });

  const reports: Promise<unknown>[] = [];
  const { messages } = provider;
  let kills = Promise.resolve();
  let killed = 0;
  let restartedAt = new Date();
  messages.accepted = sent => {
    reports.push(provider.report(sent, 'delivered'));
    if (messages.sent.length !== lives[killed]) return;
    killed++;
    kills = node.kill().then(() => {
      restartedAt = new Date();
      return node.start();
    });
  };
  await node.start();
  const sent = await Promise.all(
    threadIds.map(async threadId => {
      const params = { threadId };
      const body = { projectId, body: 'Answer' };
      const idempotencyKey = `answer-${threadId}`;
      for (;;) {
        // The node may be away.
        const reply = await key
          .ask<Message>('createMessage', { params, body, key: idempotencyKey })
          .catch(() => undefined);
        if (reply?.status === 201) return reply.body;
        await kills;
      }
    }),
  );
  // What was claimed in an earlier life stays as it is.
  const isUnderWay = async () => {
    await kills;
    const query = `select from chatapp_sends where status = 'queued' or status = 'sending' and started_at > $1`;
    return (await database.query(query, [restartedAt])).length > 0;
  };
  await eventually('everything under way has ended', async () => !(await isUnderWay()));
  await kills;
  await Promise.all(reports);
  const statusOf = new Map<string, string>();
  await eventually('all reports', async () => {
    const rows = await database.query<{ id: string; status: string }>(
      `select message_id as id, status from messages where channel_id = $1 and direction = 'outbound'`,
      [channelId],
    );
    for (const { id, status } of rows) statusOf.set(id, status);
    return messages.sent.every(({ callbackData = '' }) => statusOf.get(callbackData) === 'delivered');
  });
  t.equal(killed, lives.length);
  const arrived = messages.sent.map(({ callbackData }) => callbackData);
  t.equal(new Set(arrived).size, arrived.length, 'none twice');
  // Claimed when the node was killed, and never asked for: nobody can know that.
  const open = await database.query<{ id: string }>(
    `select message_id as id from chatapp_sends where status in ('sending', 'unknown')`,
  );
  const accounted = [...arrived, ...open.map(({ id }) => id)].sort();
  t.same(accounted, sent.map(({ messageId }) => messageId).sort(), 'none is lost');
  t.comment(`${arrived.length} taken, ${open.length} of unknown outcome`);
});
