/** A channel of which only the decisions run: no runtime, no database. Every event is held against the catalogue. */
import Value from 'typebox/value';
import { createChannelKind } from '../../../actors/channel/kind.ts';
import type { ChannelCommands } from '../../../actors/channel/commands.ts';
import type { ChannelState } from '../../../actors/channel/state.ts';
import { defaultGraph, Graph } from '../../../actors/chatapp/graph.ts';
import { eventTypes } from '../../../protocol/events.ts';
import { newId } from '../../../protocol/ids.ts';
import type { ChannelKind } from '../../../protocol/resources/channel.ts';
import type { Decision, Reminder } from '../../../runtime/actor/actor.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { systemClock, systemRandom } from '../../../runtime/time/clock.ts';
import { RecentWebhooks } from '../../../storage/chatapp/recent-webhooks.ts';
import { defaultLimits } from '../../../storage/writes/limits.ts';
import type { Write } from '../../../storage/statements/statement.ts';
import { key, start, tenancy } from '../thread/thread-harness.ts';
import { testHash } from '../../support/keyed-hash.ts';

const asked = (): Promise<never> => Promise.reject(new Error('decisions do not query'));
const fail = (): never => {
  throw new Error('decisions do not write');
};
const kind = createChannelKind({
  db: { query: asked, em: fail },
  log: silentLog,
  vault: { open: asked, seal: asked },
  hash: testHash,
  receive: asked,
  recentWebhooks: new RecentWebhooks(),
  graph: new Graph(defaultGraph),
  pool: { send: asked },
  media: { open: asked, put: asked, remove: asked, requireRoom: asked },
  limits: defaultLimits,
  ownApp: undefined,
  notifyOwners: asked,
  clock: systemClock,
  random: systemRandom,
  draining: new AbortController().signal,
  abandoned: new AbortController().signal,
});

export class ChannelHarness {
  readonly id = newId('channel');
  readonly events: { eventName: string; data: Record<string, unknown> }[] = [];
  now = start;
  state: ChannelState = kind.initialState(this.id);
  writes: readonly Write[] = [];
  remind: readonly Reminder[] = [];
  forgotten: readonly string[] = [];
  effects: Decision<ChannelState>['effects'] = [];

  do<N extends keyof ChannelCommands & string>(name: N, payload: ChannelCommands[N]['payload']) {
    const decision = kind.decide[name](this.state, payload, { now: this.now, id: this.id });
    this.state = decision.state ?? this.state;
    this.writes = decision.writes ?? [];
    this.remind = decision.remind ?? [];
    this.forgotten = decision.forget ?? [];
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
