/** What happens to a channel's token while nobody does anything: it is looked at, renewed, told of, lost. */
import t from 'tap';
import type { ChatappStatus } from '../../protocol/resources/chatapp.ts';
import { startChatapp } from '../gateway/handlers/chatapp-fixture.ts';
import type { ListOf } from '../node/client.ts';
import { createEnvelope, type PhoneNumber } from '../support/chatapp-provider/index.ts';
import { eventually } from '../support/eventually.ts';

const { provider, database, tenant, app, newChannel, newNumber, connect, connected } = await startChatapp(t);
const { projectId, key } = tenant;

const getStatus = (channelId: string) =>
  key.get<ChatappStatus>('getChatappStatus', { params: { channelId } });
const inDays = (days: number): number => Math.floor(Date.now() / 1_000) + days * 86_400;

interface ChannelEvent {
  readonly eventName: string;
  readonly data: Readonly<Record<string, unknown>> & { readonly channelId: string };
}

async function listEvents(channelId: string, pattern: string): Promise<readonly ChannelEvent[]> {
  const { data } = await key.get<ListOf<ChannelEvent>>('listEvents', {
    query: { projectId, eventName: pattern },
  });
  return data.filter(event => event.data.channelId === channelId);
}

const hasEvent = (channelId: string, eventName: string) =>
  eventually(eventName, async () => (await listEvents(channelId, eventName)).length > 0);

const hasMail = () =>
  eventually('mail', async () => {
    const rows = await database.query(
      `select from mails where kind = 'channel_credential' and recipient = $1 and created_at > now() - interval '1 minute'`,
      [tenant.email],
    );
    return rows.length > 0;
  });

/** The account reports something, so that the channel looks now, and not tomorrow. */
const report = (number: PhoneNumber) =>
  provider.deliver(
    number,
    createEnvelope(number.accountId, 'account_update', { event: 'ACCOUNT_RESTRICTION' }, inDays(0)),
  );

/** A channel whose token ends so soon that it is looked at when the channel is connected. */
async function expiring(type: 'SYSTEM_USER' | 'USER') {
  const channelId = await newChannel();
  const { account, number } = newNumber();
  const token = provider.accounts.addToken(app, account, { expiresAt: inDays(5), type });
  const { status, text } = await connect(channelId, { accessToken: token.value });
  if (status !== 200) throw new Error(text);
  return { channelId, number, token };
}

t.test('a token of a system user is renewed before it ends', async t => {
  const { channelId } = await expiring('SYSTEM_USER');
  await hasEvent(channelId, 'channel.credential.renewed');
  const { status, tokenExpiresAt } = await getStatus(channelId);
  t.equal(status, 'connected');
  t.ok(Date.parse(tokenExpiresAt ?? '') > inDays(50) * 1_000);
  t.same(await listEvents(channelId, 'channel.credential.expiring'), []);
});

t.test('of another token the owners are told, by event and by mail', async t => {
  const { channelId, number } = await expiring('USER');
  await hasEvent(channelId, 'channel.credential.expiring');
  await hasMail();
  await report(number);
  t.equal((await listEvents(channelId, 'channel.credential.expiring')).length, 1);
});

t.test('a token that has ended: the channel is in error, and goes on with a new one', async t => {
  const { channelId, number, account, token } = await connected();
  token.revoked = 463;
  await report(number);
  await hasEvent(channelId, 'channel.credential.expired');
  t.match(await getStatus(channelId), { status: 'error', error: { step: null, code: 190 } });
  await provider.write(number, { phone: '15550123' }, { type: 'text', text: { body: 'Hello' } });
  await eventually('message, all the same', async () => {
    const { data } = await key.get<ListOf<object>>('listThreads', { query: { projectId, channelId } });
    return data.length === 1;
  });
  const accessToken = provider.accounts.addToken(app, account).value;
  t.equal((await connect(channelId, { accessToken })).status, 200);
  t.match(await getStatus(channelId), { status: 'connected', error: null });
});

t.test('an app that is not subscribed any more gets nothing: the channel is in error', async t => {
  const { channelId, number, account } = await connected();
  // The last thing that the provider posts before.
  const posted = report(number);
  account.subscribers.delete(app.id);
  await posted;
  await eventually('channel in error', async () => (await getStatus(channelId)).status === 'error');
  t.match(await getStatus(channelId), { error: { code: null, message: /not subscribed/ } });
  t.same(await listEvents(channelId, 'channel.credential.expired'), [], 'nothing is wrong with the token');
});

t.test('a provider that does not answer says nothing of the token', async t => {
  const { channelId, number } = await connected();
  provider.faults.script('debug_token', { kind: 'status', status: 500 });
  provider.faults.script('subscribed_apps', { kind: 'html' });
  const before = provider.faults.happened;
  await report(number);
  await eventually('look', () => Promise.resolve(provider.faults.happened === before + 2));
  t.equal((await getStatus(channelId)).status, 'connected');
});

t.test('the status of a template, however often it is reported', async t => {
  const { channelId, number } = await connected();
  const value = {
    event: 'APPROVED',
    message_template_id: 594_425_479_261_596,
    message_template_name: 'order_sent',
    message_template_language: 'en_US',
    reason: 'NONE',
  };
  const deliver = (event: string) =>
    provider.deliver(
      number,
      createEnvelope(number.accountId, 'message_template_status_update', { ...value, event }, inDays(0)),
    );
  await deliver('APPROVED');
  await deliver('APPROVED');
  await deliver('PAUSED');
  const list = () => listEvents(channelId, 'channel.template.status_changed');
  await eventually('events', async () =>
    (await list()).some(({ data }) => JSON.stringify(data).includes('PAUSED')),
  );
  t.match((await list()).map(({ data }) => data['template']).reverse(), [
    { id: '594425479261596', name: 'order_sent', status: 'APPROVED' },
    { name: 'order_sent', status: 'PAUSED' },
  ]);
});
