import t from 'tap';
import type { ChannelCommands } from '../../../actors/channel/commands.ts';
import { newId } from '../../../protocol/ids.ts';
import { hour, key, refusal, start, tenancy } from '../thread/thread-harness.ts';
import { ChannelHarness } from './channel-harness.ts';

t.test('sandbox and custom are connected at creation, chatapp is not', async t => {
  for (const [channelKind, status] of [
    ['sandbox', 'connected'],
    ['custom', 'connected'],
    ['chatapp', 'disconnected'],
  ] as const) {
    const channel = new ChannelHarness();
    const created = channel.create(channelKind);
    t.match(created, { channelId: channel.id, kind: channelKind, status, name: 'Main', metadata: { a: 1 } });
    t.match(channel.events, [
      { eventName: 'channel.lifecycle.created', data: { channel: created, actor: key } },
    ]);
    t.equal(refusal(() => channel.create(channelKind)).code, 'svc/runtime/conflict');
  }
});

t.test('PATCH changes only the given fields, and writes nothing if nothing changes', async t => {
  const channel = new ChannelHarness();
  channel.create('custom');
  const agentId = newId('agent');
  const changes = { name: 'Support', defaultAgentId: agentId };
  const updated = JSON.parse(channel.do('update', { ...tenancy, changes })) as object;
  t.match(updated, { name: 'Support', defaultAgentId: agentId, metadata: { a: 1 } });
  const { state } = channel;
  channel.do('update', { ...tenancy, changes });
  t.equal(channel.state, state);
});

t.test('a parked receipt waits 24 hours, and looks by itself until a look has ended', async t => {
  const channel = new ChannelHarness();
  channel.create('custom');
  const { state } = channel;
  const receipt = { status: 'delivered' as const, occurredAt: new Date(start).toISOString() };
  channel.do('park', { ...tenancy, externalMessageId: 'wamid.1', receipt });
  t.equal(channel.state, state);
  t.match(channel.writes, [{ statement: { name: 'receipt.park' } }]);
  t.equal(channel.writes[0]?.values[5], new Date(start + 24 * hour).toISOString());
  t.equal(channel.remind.length, 1);
  const [reminder] = channel.remind;
  channel.do('applyParked', reminder?.payload as ChannelCommands['applyParked']['payload']);
  const [again] = channel.remind;
  t.match(again, { at: start + 300_000, command: 'applyParked', payload: reminder?.payload });
  const recheck = again?.key ?? '';
  t.not(recheck, reminder?.key, 'it is not that of a receipt which is parked meanwhile');
  const payload = { ...tenancy, externalMessageId: 'wamid.1', recheck };
  t.strictSame(channel.effects, [{ do: 'perform', task: 'applyParked', payload }]);
  channel.do('parkedSeen', { recheck });
  t.strictSame(channel.forgotten, [recheck]);
});

t.test("another tenant's channel is not there", async t => {
  const channel = new ChannelHarness();
  channel.create('custom');
  const foreign = { ...tenancy, projectId: newId('project') };
  t.equal(refusal(() => channel.do('update', { ...foreign, changes: {} })).code, 'svc/runtime/not_found');
  t.equal(
    refusal(() => channel.do('acknowledge', { ...foreign, eventId: newId('event') })).code,
    'svc/runtime/not_found',
  );
});
