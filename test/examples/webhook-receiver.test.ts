/** examples/webhook-receiver: it takes what a stitch delivers, once, and refuses what nobody has signed. */
import t from 'tap';
import { signService } from '../../protocol/signature.ts';
import { Example } from './example.ts';
import { shareNodeWithChannel } from './example-node.ts';

const { api, projectId, channelId } = await shareNodeWithChannel(t);
// The secret comes with the stitch, and the address only with the receiver, which is given a free port.
const { stitch, secret } = await api.post<{ stitch: { stitchId: string }; secret: string }>('/stitches', {
  projectId,
  name: 'Mine',
  webhookUrl: 'http://127.0.0.1:2',
  eventNames: ['thread.message.*'],
});
const { example, url } = await Example.listening(t, 'webhook-receiver', { SKEIN_WEBHOOK_SECRET: secret });
await api.patch(`/stitches/${stitch.stitchId}`, { projectId, webhookUrl: url });

t.test('what happens in a thread arrives in its order', async t => {
  const say = (body: string, key: string) =>
    api.post<{ threadId: string }>(
      `/channels/${channelId}/inbound-messages`,
      { projectId, externalParticipantRef: 'ada', body },
      key,
    );
  const { threadId } = await say('Hello', 'first');
  await say('Is anybody there?', 'second');
  await example.said(/Is anybody there/);
  t.same(example.lines.slice(1), [
    `thread.message.received ${threadId} "Hello"`,
    `thread.message.received ${threadId} "Is anybody there?"`,
  ]);
});

const event = (eventId: string): string =>
  JSON.stringify({ eventId, eventName: 'thread.status.changed', data: { threadId: `thread of ${eventId}` } });

async function post(body: string, signature: string): Promise<number> {
  const headers = { 'content-type': 'application/json', 'service-signature': signature };
  return (await fetch(url, { method: 'POST', headers, body })).status;
}

const now = (): number => Math.floor(Date.now() / 1_000);

t.test('an event that comes twice is handled once', async t => {
  const body = event('evt_twice');
  t.equal(await post(body, signService([secret], now(), body)), 204);
  t.equal(await post(body, signService(['whsec_the_next_one', secret], now(), body)), 204);
  const other = event('evt_other');
  t.equal(await post(other, signService([secret], now(), other)), 204);
  await example.said(/evt_other/);
  t.equal(example.lines.filter(line => line.includes('evt_twice')).length, 1);
});

t.test('what is not signed, or long ago, is refused', async t => {
  const body = event('evt_forged');
  t.equal(await post(body, signService(['whsec_somebody_else'], now(), body)), 401);
  t.equal(await post(body, signService([secret], now(), event('evt_another'))), 401);
  t.equal(await post(body, signService([secret], now() - 301, body)), 401);
  t.equal(await post(body, 't=,v1='), 401);
  t.equal(await post(body, ''), 401);
  const last = event('evt_last');
  t.equal(await post(last, signService([secret], now(), last)), 204);
  await example.said(/evt_last/);
  t.notOk(example.lines.some(line => line.includes('evt_forged')));
});
