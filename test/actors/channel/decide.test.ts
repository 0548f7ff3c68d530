import Value from 'typebox/value';
import t from 'tap';
import { eventTypes } from '../../../protocol/events.ts';
import { newId } from '../../../protocol/ids.ts';
import {
  channelStatuses,
  type ChannelKind,
  type ChannelStatus,
} from '../../../protocol/resources/channel.ts';
import type { Decision, Reminder } from '../../../runtime/actor/actor.ts';
import type { Write } from '../../../storage/statements/statement.ts';
import { createChannelKind } from '../../../actors/channel/kind.ts';
import type { ChannelCommands } from '../../../actors/channel/commands.ts';
import type { ChannelState } from '../../../actors/channel/state.ts';
import { hour, key, refusal, start, tenancy } from '../thread/thread-harness.ts';

const kind = createChannelKind({ query: () => Promise.reject(new Error('decisions do not query')) });

class ChannelHarness {
  readonly id = newId('channel');
  readonly events: { eventName: string; data: Record<string, unknown> }[] = [];
  state: ChannelState = kind.initialState(this.id);
  writes: readonly Write[] = [];
  remind: readonly Reminder[] = [];
  effects: Decision<ChannelState>['effects'] = [];

  do<N extends keyof ChannelCommands & string>(name: N, payload: ChannelCommands[N]['payload']) {
    const decision = kind.decide[name](this.state, payload, { now: start, id: this.id });
    this.state = decision.state ?? this.state;
    this.writes = decision.writes ?? [];
    this.remind = decision.remind ?? [];
    this.effects = decision.effects ?? [];
    for (const { event } of this.writes) {
      if (event === undefined) continue;
      const envelope = JSON.parse(event.body) as (typeof this.events)[number];
      if (!Object.hasOwn(eventTypes, envelope.eventName))
        throw new Error(`${envelope.eventName} is not in the catalogue`);
      if (!Value.Check(eventTypes[envelope.eventName as keyof typeof eventTypes].data, envelope.data))
        throw new Error(event.body);
      this.events.push(envelope);
    }
    return decision.reply as ChannelCommands[N]['reply'];
  }

  create(channelKind: ChannelKind): Record<string, unknown> {
    const payload = {
      ...tenancy,
      name: 'Main',
      kind: channelKind,
      metadata: { a: 1 },
      author: key,
      limit: 10,
    };
    return JSON.parse(this.do('create', payload)) as Record<string, unknown>;
  }
}

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

t.test('the status moves as the table says', async t => {
  const legal: Record<ChannelStatus, readonly ChannelStatus[]> = {
    disconnected: ['connecting'],
    connecting: ['disconnected', 'connected', 'error'],
    connected: ['disconnected', 'error'],
    error: ['disconnected', 'connecting'],
  };
  for (const from of channelStatuses) {
    for (const status of channelStatuses) {
      const channel = new ChannelHarness();
      channel.create('chatapp');
      channel.state = { ...channel.state, status: from };
      const move = () => channel.do('setStatus', { ...tenancy, status, author: key });
      if (from === status) {
        move();
        t.equal(channel.events.length, 1, `${from} to itself is no move`);
      } else if (legal[from].includes(status)) {
        move();
        t.match(channel.events[1], { eventName: 'channel.status.changed', data: { channel: { status } } });
      } else {
        t.equal(refusal(move).code, 'svc/runtime/conflict', `${from} to ${status}`);
      }
    }
  }
});

t.test('a custom channel cannot be disconnected', async t => {
  const channel = new ChannelHarness();
  channel.create('custom');
  const status = { ...tenancy, status: 'disconnected' as const, author: key };
  t.equal(refusal(() => channel.do('setStatus', status)).code, 'svc/runtime/conflict');
});

t.test('a parked receipt waits 24 hours, and looks once by itself', async t => {
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
  t.strictSame(channel.effects, [
    { do: 'perform', task: 'applyParked', payload: { ...tenancy, externalMessageId: 'wamid.1' } },
  ]);
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
