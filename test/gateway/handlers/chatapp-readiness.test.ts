/** Readiness of a chatapp channel over REST. */
import t from 'tap';
import type { ChatappReadiness } from '../../../protocol/resources/channel.ts';
import type { ChatappStatus } from '../../../protocol/resources/chatapp.ts';
import { eventually } from '../../support/eventually.ts';
import { shareChatapp } from './chatapp-fixture.ts';

const { provider, tenant, connected, newChannel } = await shareChatapp(t);
const { projectId, key } = tenant;
const check = (channelId: string) =>
  key.get<ChatappReadiness>('checkChatappReadiness', { params: { channelId } });

t.test('before it is connected there is one thing to do', async t => {
  const channelId = await newChannel();
  t.match(await check(channelId), {
    channelId,
    projectId,
    ok: false,
    checks: [{ id: 'connection', ok: false, reason: 'Connect the channel.' }],
  });
});

t.test('a connected channel with a template is ready', async t => {
  const { account, channelId } = await connected();
  const failed = async () => (await check(channelId)).checks.filter(({ ok }) => !ok).map(({ id }) => id);
  t.same(await failed(), ['template_available']);
  provider.templates.add(account.id, { name: 'hello' });
  t.same(await failed(), []);
  t.equal((await check(channelId)).ok, true);
});

t.test('it says when the provider last posted', async t => {
  const { channelId, number } = await connected();
  const verified = async () => (await check(channelId)).checks.find(({ id }) => id === 'webhook_verified');
  t.match(await verified(), { ok: true, reason: /posted nothing since the channel was connected/ });
  const before = Math.floor(Date.now() / 1_000) * 1_000;
  await provider.write(number, { phone: '15550100' }, { type: 'text', text: { body: 'Hello' } });
  const find = async () => /posted at (\S+),/.exec((await verified())?.reason ?? '')?.[1];
  await eventually('time', async () => (await find()) !== undefined);
  const at = Date.parse((await find()) ?? '');
  t.ok(at >= before && at <= Date.now() + 1_000, new Date(at).toISOString());
});

t.test('what it finds out of the token, the channel knows as well', async t => {
  const { channelId, token } = await connected();
  token.revoked = 463;
  t.equal((await check(channelId)).ok, false);
  await eventually('channel in error', async () => {
    const { status } = await key.get<ChatappStatus>('getChatappStatus', { params: { channelId } });
    return status === 'error';
  });
  t.match((await check(channelId)).checks[0], { id: 'connection', ok: false, reason: /error/ });
});
