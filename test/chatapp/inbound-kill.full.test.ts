/** A node that is killed while webhooks come in: each message of a participant is stored exactly once, however often its webhook comes. */
import t from 'tap';
import { pickPort } from '../support/free-port.ts';
import { startChatapp } from '../gateway/handlers/chatapp-fixture.ts';
import { eventually } from '../support/eventually.ts';
import { NodeProcess } from '../support/node-process.ts';

const participants = 24;
const perParticipant = 10;
/** The node is killed when so many messages were acknowledged. */
const kills = [40, 100, 160];

t.test(`${kills.length} times SIGKILL while webhooks come in`, async t => {
  const port = await pickPort();
  const { provider, database, databaseUrl, environment, skein, connected } = await startChatapp(t, {
    PORT: String(port),
  });
  const { channelId, number } = await connected();
  await skein.stop();
  const node = await NodeProcess.make(t, { ...environment, DATABASE_URL: databaseUrl, PORT: String(port) });
  await node.start();
  // Longer than a start takes.
  provider.deliveries.retryMs = Array.from({ length: 200 }, () => 250);

  const ids: string[] = [];
  let killed = 0;
  let restarted = Promise.resolve();
  let repeated = 0;
  const participate = async (index: number): Promise<void> => {
    const phone = String(15_551_000_000 + index);
    for (let turn = 0; turn < perParticipant; turn++) {
      const text = { body: `message ${turn}` };
      const written = await provider.write(number, { phone }, { type: 'text', text });
      ids.push(written.id);
      repeated += written.deliveries.filter(({ attempts }) => attempts.length > 1).length;
      if (ids.length !== kills[killed]) continue;
      killed++;
      restarted = restarted.then(() => node.kill()).then(() => node.start());
    }
  };
  await Promise.all(Array.from({ length: participants }, (_, index) => participate(index)));
  await restarted;
  await eventually('end of all webhooks', async () => {
    return (await database.query('select from chatapp_open_webhooks')).length === 0;
  });
  const rows = await database.query<{ id: string }>(
    `select external_message_id as id from messages where channel_id = $1 and direction = 'inbound'`,
    [channelId],
  );
  t.equal(killed, kills.length);
  t.ok(repeated > 0, `${repeated} webhooks came again`);
  t.same(rows.map(({ id }) => id).sort(), ids.sort(), 'each message is stored once');
});
