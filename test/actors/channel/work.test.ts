/** The tasks of channels on a node: one that cannot say that it has ended stops no channel, and those that last hold back no others. */
import t from 'tap';
import type { WorkDone } from '../../../actors/channel/commands.ts';
import { createChannelKind } from '../../../actors/channel/kind.ts';
import { defaultGraph, Graph } from '../../../actors/chatapp/graph.ts';
import type { ChannelState } from '../../../actors/channel/state.ts';
import type { Turn } from '../../../runtime/actor/actor.ts';
import { unavailable } from '../../../runtime/actor/failures.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { systemRandom } from '../../../runtime/time/clock.ts';
import { RecentWebhooks } from '../../../storage/chatapp/recent-webhooks.ts';
import { defaultLimits } from '../../../storage/writes/limits.ts';
import { startTestNode } from '../../runtime/node-fixture.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const channel = (id: string) => ({ kind: 'channel', id });
const nothing = (): Promise<never> => Promise.reject(new Error('nothing asks for this'));

/** Its channels do not exist, so that a task of theirs reads once, and has no more to do. `read` is told the channel and the statement. */
function createChannels(clock: VirtualClock, read: (channelId: string, name: string) => Promise<void>) {
  const draining = new AbortController();
  const kind = createChannelKind({
    db: {
      query: async (_text: string, [id]: readonly unknown[] = [], name = '') => {
        await read(String(id), name);
        return [];
      },
      em: () => {
        throw new Error('nothing is written');
      },
    },
    log: silentLog,
    vault: { open: nothing, seal: nothing },
    receive: nothing,
    recentWebhooks: new RecentWebhooks(),
    graph: new Graph(defaultGraph),
    pool: { send: nothing },
    media: { open: nothing, put: nothing, remove: nothing, requireRoom: nothing },
    limits: defaultLimits,
    ownApp: undefined,
    notifyOwners: nothing,
    clock,
    random: systemRandom,
    draining: draining.signal,
    abandoned: new AbortController().signal,
  });
  return { kind, draining };
}

/** The same, whose command `worked` is refused that many times; gives how often it was asked. */
function refusing({ kind }: ReturnType<typeof createChannels>, refusals: number) {
  const asked = { times: 0 };
  const worked = (state: ChannelState, command: WorkDone, turn: Turn) => {
    if (++asked.times <= refusals) throw unavailable('overloaded');
    return kind.decide.worked(state, command, turn);
  };
  return { asked, kind: { ...kind, decide: { ...kind.decide, worked } } };
}

t.test('a task that cannot say that it has ended says it until it is heard', async t => {
  const clock = new VirtualClock();
  let tasks = 0;
  const channels = createChannels(clock, () => Promise.resolve(void tasks++));
  const { kind, asked } = refusing(channels, 6);
  const { node, database, metrics } = await startTestNode(t, { clock, kinds: [kind] });
  const work = () => clock.until(node.ask(channel('ch_1'), 'work', { work: 'webhooks' }));
  await work();
  await clock.advance(60_000);
  t.equal(asked.times, 7);
  t.equal(tasks, 1, 'and what it did is not done again');
  t.strictSame(database.letters, []);
  await work();
  await clock.advance(1);
  t.equal(tasks, 2, 'another one begins');
  t.equal(metrics.counters.tasksDone, 2);
});

t.test('a node that drains does not wait for it, and nothing of it is left behind', async t => {
  const clock = new VirtualClock();
  const channels = createChannels(clock, () => Promise.resolve());
  const { kind, asked } = refusing(channels, Infinity);
  const { node, database } = await startTestNode(t, { clock, kinds: [kind] });
  await clock.until(node.ask(channel('ch_1'), 'work', { work: 'webhooks' }));
  await clock.advance(60_000);
  t.ok(asked.times > 10);
  channels.draining.abort();
  const before = clock.now();
  await clock.until(node.drain());
  t.ok(clock.now() - before < 7_500);
  t.strictSame(database.letters, []);
});

t.test('300 channels whose messages take long hold back no webhook of another', async t => {
  const clock = new VirtualClock();
  const answered = Promise.withResolvers<void>();
  const waiting = new Set<string>();
  const read: string[] = [];
  const { kind } = createChannels(clock, async (id, name) => {
    read.push(`${id} ${name}`);
    if (id === 'ch_other') return;
    waiting.add(id);
    await answered.promise;
  });
  const { node } = await startTestNode(t, { clock, kinds: [kind] });
  for (let n = 0; n < 300; n++) await clock.until(node.ask(channel(`ch_${n}`), 'work', { work: 'sends' }));
  await clock.until(node.ask(channel('ch_other'), 'work', { work: 'webhooks' }));
  await clock.advance(1);
  t.equal(waiting.size, 300);
  t.strictSame(
    read.filter(each => each.startsWith('ch_other')),
    ['ch_other channels.head'],
  );
  answered.resolve();
});
