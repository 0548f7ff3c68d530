/** What happens to a channel's token while nobody does anything: it is looked at, renewed, told of, lost. */
import t from 'tap';
import type { ChatappStatus } from '../../protocol/resources/chatapp.ts';
import { shareChatapp } from '../gateway/handlers/chatapp-fixture.ts';
import type { ListOf } from '../node/client.ts';
import { signUp } from '../node/tenant.ts';
import { createEnvelope, type PhoneNumber } from '../support/chatapp-provider/index.ts';
import { eventually } from '../support/eventually.ts';

const fixture = await shareChatapp(t);
const { provider, database, tenant, app, line, newChannel, newNumber, connect, connected } = fixture;
const { verify, newPartnerApp } = fixture;
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

async function countMails(): Promise<number> {
  const query = `select from mails where kind = 'channel_credential' and recipient = $1`;
  return (await database.query(query, [tenant.email])).length;
}

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
  const mailsBefore = await countMails();
  const { channelId, number } = await expiring('USER');
  await hasEvent(channelId, 'channel.credential.expiring');
  await eventually('mail', async () => (await countMails()) === mailsBefore + 1);
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

t.test('a token that nobody renews, day by day until it ends, and its channel after that', async t => {
  const mailsBefore = await countMails();
  const channelId = await newChannel();
  const { account } = newNumber();
  const token = provider.accounts.addToken(app, account, { expiresAt: inDays(9), type: 'USER' });
  await connect(channelId, { accessToken: token.value });
  const dayMs = 86_400_000;
  const query = `select due_at as at from reminders where actor_id = $1 and key = 'credentials'`;
  const dueAt = async (): Promise<number> => {
    const [row] = await database.query<{ at: string }>(query, [channelId]);
    return Number(row?.at);
  };
  /** The daily look comes, and the token has so many days left; what is told of it altogether. */
  const look = async (daysLeft: number): Promise<readonly string[]> => {
    token.expiresAt = inDays(daysLeft);
    await database.query(
      `update reminders set due_at = due_at - ${dayMs} where actor_id = $1 and key = 'credentials'`,
      [channelId],
    );
    const seen = new Date(token.expiresAt * 1_000).toISOString();
    await eventually('look', async () => {
      const { status, tokenExpiresAt } = await getStatus(channelId);
      return status === 'error' || tokenExpiresAt === seen;
    });
    const events = await listEvents(channelId, 'channel.credential.*');
    return events.map(({ eventName }) => eventName.replace('channel.credential.', '')).reverse();
  };
  t.ok((await dueAt()) <= Date.now() + dayMs, 'within a day');
  t.strictSame(await look(7), ['expiring'], 'seven days');
  t.strictSame(await look(1), ['expiring', 'expiring'], 'one day');
  t.strictSame(await look(-1), ['expiring', 'expiring', 'expired']);
  t.match(await getStatus(channelId), { status: 'error', error: { code: 190 } });
  await eventually('three mails', async () => (await countMails()) === mailsBefore + 3);
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

t.test(
  'each status of a template is reported once to the channels of the tenant on that account, and to no others',
  async t => {
    const { channelId, number, account, token } = await connected();
    const connectNext = async (by = tenant, more: object = {}): Promise<string> => {
      const { id } = provider.accounts.addNumber(account);
      const next = await newChannel(by);
      const { status, text } = await connect(
        next,
        { accessToken: token.value, phoneNumberId: id, ...more },
        by,
      );
      if (status !== 200) throw new Error(text);
      return next;
    };
    const sibling = await connectNext();
    const outsider = await signUp(line);
    await verify(outsider);
    const { partnerAppCredentialId } = await newPartnerApp(outsider);
    const theirs = await connectNext(outsider, { partnerAppCredentialId });
    // The same tenant, with another app: it has its own webhooks.
    const otherApp = provider.accounts.addApp();
    const other = await tenant.person.get<{ partnerAppCredentialId: string }>('createPartnerApp', {
      body: {
        workspaceId: tenant.workspaceId,
        name: 'Other',
        appId: otherApp.id,
        appSecret: otherApp.secret,
      },
    });
    const byOtherApp = await connectNext(tenant, {
      accessToken: provider.accounts.addToken(otherApp, account).value,
      partnerAppCredentialId: other.partnerAppCredentialId,
    });
    const elsewhere = (await connected()).channelId;
    const write = (event: string) =>
      createEnvelope(
        number.accountId,
        'message_template_status_update',
        { event, message_template_id: 1, message_template_name: 'hello', message_template_language: 'de' },
        inDays(0),
      );
    // The same, twice: it says to the second when it was.
    const approved = write('APPROVED');
    await provider.deliver(number, approved);
    await provider.deliver(number, approved);
    const changed = 'channel.template.status_changed';
    for (const told of [channelId, sibling]) await hasEvent(told, changed);
    await provider.deliver(number, write('PAUSED'));
    await eventually('PAUSED', async () => (await listEvents(sibling, changed)).length === 2);
    const count = async (id: string): Promise<number> =>
      (await database.query('select from events where event_name = $1 and channel_id = $2', [changed, id]))
        .length;
    const counts = await Promise.all([channelId, sibling, theirs, byOtherApp, elsewhere].map(count));
    t.same(counts, [2, 2, 0, 0, 0]);
    t.match((await listEvents(channelId, changed)).map(({ data }) => data['template']).reverse(), [
      { id: '1', name: 'hello', status: 'APPROVED' },
      { name: 'hello', status: 'PAUSED' },
    ]);
  },
);
