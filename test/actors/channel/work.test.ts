/**
 * The tasks of channels on a node: one that cannot say that it has ended stops no channel, those that last hold back no others, thousands at
 * once take turns, and a parked receipt is lost by none.
 */
import t, { type Test } from 'tap';
import type { WorkDone } from '../../../actors/channel/commands.ts';
import { createChannelKind } from '../../../actors/channel/kind.ts';
import { ChannelTurns } from '../../../actors/channel/turns.ts';
import { defaultGraph, Graph } from '../../../actors/chatapp/graph.ts';
import type { ChannelState, Work } from '../../../actors/channel/state.ts';
import { ServiceError } from '../../../protocol/errors.ts';
import type { Turn } from '../../../runtime/actor/actor.ts';
import { unavailable } from '../../../runtime/actor/failures.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { systemRandom } from '../../../runtime/time/clock.ts';
import { RecentWebhooks } from '../../../storage/chatapp/recent-webhooks.ts';
import { defaultLimits } from '../../../storage/writes/limits.ts';
import { startTestNode } from '../../runtime/node-fixture.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { testHash } from '../../support/keyed-hash.ts';

const channel = (id: string) => ({ kind: 'channel', id });
const nothing = (): Promise<never> => Promise.reject(new Error('nothing asks for this'));

/**
 * Its channels do not exist, so that a task of theirs reads once, and has no more to do. `read` is told the channel and the statement, and may
 * give rows.
 */
function createChannels(
  clock: VirtualClock,
  read: (channelId: string, name: string) => Promise<readonly object[] | void>,
  open: () => Promise<string> = nothing,
) {
  const draining = new AbortController();
  const turns = new ChannelTurns();
  const kind = createChannelKind({
    db: {
      query: async (_text: string, [id]: readonly unknown[] = [], name = '') =>
        ((await read(String(id), name)) ?? []) as never[],
      em: () => {
        throw new Error('nothing is written');
      },
    },
    log: silentLog,
    vault: { open, seal: nothing },
    turns,
    receive: nothing,
    hash: testHash,
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
  return { kind, draining, turns };
}

/** The same, whose channels are of the project that this says. */
function owned({ kind }: ReturnType<typeof createChannels>, getProject: (channelId: string) => string) {
  const initialState = (id: string): ChannelState => ({
    ...kind.initialState(id),
    projectId: getProject(id),
  });
  return { ...kind, initialState };
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
  let waiting = 0;
  const read: string[] = [];
  const { kind } = createChannels(
    clock,
    async (id, name) => {
      if (id === 'ch_other') read.push(name);
      const connection = { accessToken: 'sealed', partnerAppCredentialId: null };
      return name === 'chatapp.find' ? [{ status: 'error', chatapp: { connection } }] : [];
    },
    async () => {
      waiting++;
      await answered.promise;
      return 'token';
    },
  );
  const { node } = await startTestNode(t, { clock, kinds: [kind] });
  for (let n = 0; n < 300; n++) await clock.until(node.ask(channel(`ch_${n}`), 'work', { work: 'sends' }));
  await clock.until(node.ask(channel('ch_other'), 'work', { work: 'webhooks' }));
  await clock.advance(1);
  t.equal(waiting, 128, 'half of the turns');
  t.strictSame(read, ['channels.head']);
  answered.resolve();
});

/** As after a takeover: that many channels of a project are told of work, sort by sort in turn, and the database does not answer. */
async function hang(t: Test, channels: number, ...sorts: readonly [Work, ...Work[]]) {
  const clock = new VirtualClock();
  const answered = Promise.withResolvers<void>();
  const seen: string[] = [];
  const open = { now: 0, most: 0 };
  const created = createChannels(clock, async id => {
    seen.push(id);
    if (id === 'ch_other') return;
    open.most = Math.max(open.most, ++open.now);
    await answered.promise;
    open.now--;
  });
  const kind = owned(created, id => (id === 'ch_other' ? 'prj_other' : 'prj_many'));
  const started = await startTestNode(t, { clock, kinds: [kind] });
  const tell = (id: string, work: Work) => started.node.ask(channel(id), 'work', { work });
  /** No more at once than a node takes. */
  const tellAll = async (ids: readonly string[]): Promise<void> => {
    for (let from = 0; from < ids.length; from += 5_000) {
      const some = ids.slice(from, from + 5_000);
      const told = some.map((id, n) => tell(id, sorts[n % sorts.length] ?? sorts[0]));
      await clock.until(Promise.all(told));
      await clock.advance(1);
    }
  };
  const ids = Array.from({ length: channels }, (_, n) => `ch_${n}`);
  await tellAll(ids);
  return { ...started, ...created, tell, tellAll, ids, seen, open, answer: () => answered.resolve() };
}

t.test('2,000 channels that are told to work at once leave the database to others', async t => {
  const hung = await hang(t, 2_000, 'webhooks', 'sends');
  const { clock, database, metrics, turns, tell, seen, open, answer } = hung;
  t.strictSame([open.now, turns.statements.taken], [32, 32]);
  t.equal(turns.tasks.webhooks.taken + turns.tasks.webhooks.waiting, 1_000);
  await clock.until(tell('ch_other', 'webhooks'));
  await clock.until(tell('ch_other', 'sends'));
  await clock.advance(1);
  t.ok(seen.filter(id => id === 'ch_other').length > 1, 'those of another project are read');
  answer();
  while (metrics.counters.tasksDone < 2_002) await clock.advance(1);
  t.strictSame([turns.statements.isIdle, turns.tasks.webhooks.isIdle], [true, true]);
  t.equal(new Set(seen).size, 2_001);
  t.equal(open.most, 32);
  t.strictSame(database.letters, []);
});

t.test('of 15,000 channels after an outage none is stuck, and few wait in memory', async t => {
  const hung = await hang(t, 15_000, 'webhooks');
  const { node, clock, database, turns, tellAll, ids, seen, answer } = hung;
  t.ok(turns.tasks.webhooks.waiting < 4_096);
  t.ok(node.stats.tasksRunning < 4_200, `${node.stats.tasksRunning} tasks`);
  answer();
  await clock.advance(1_000);
  // As the recovery scanner, which finds their rows.
  for (let round = 0; new Set(seen).size < 15_000 && round < 10; round++) {
    const known = new Set(seen);
    await tellAll(ids.filter(id => !known.has(id)));
    await clock.advance(1_000);
  }
  t.equal(new Set(seen).size, 15_000);
  t.strictSame(database.letters, []);
});

const reminderNames = (database: { readonly reminders: ReadonlyMap<string, unknown> }): string[] =>
  [...database.reminders.keys()].filter(name => name.includes('recheck:'));

/** A receipt that is parked for a message that is there; its thread refuses it that many times. */
async function park(t: Test, refusals: number, refusal: ServiceError) {
  const clock = new VirtualClock();
  const createdAt = new Date(clock.now());
  const message = { messageId: 'msg_1', threadId: 'thr_1', externalMessageId: 'wamid.1', createdAt };
  const channels = createChannels(clock, async (_id, name) => {
    if (name === 'messages.as_of.theirs') return [{ ...message, asOf: 1, details: {}, failure: null }];
    if (name === 'receipts.parked') return [{ payload: { status: 'delivered', occurredAt: '' } }];
    throw new Error(name);
  });
  const asked = { times: 0 };
  const thread = {
    kind: 'thread',
    initialState: () => ({}),
    decide: {
      recordReceipts: () => {
        if (++asked.times <= refusals) throw refusal;
        return { reply: { outcome: 'recorded', status: null } };
      },
    },
  };
  const started = await startTestNode(t, { clock, kinds: [channels.kind, thread] });
  const parked = { projectId: 'prj_1', environmentId: 'env_1', externalMessageId: 'wamid.1' };
  await clock.until(started.node.ask(channel('ch_1'), 'applyParked', parked));
  return { ...started, ...channels, asked };
}

t.test('a parked receipt is recorded, whatever fails at first', async t => {
  for (const failure of [unavailable('overloaded'), new ServiceError('svc/runtime/internal_error')]) {
    const { clock, database, asked } = await park(t, 6, failure);
    t.equal(reminderNames(database).length, 1);
    await clock.advance(30_000);
    t.equal(asked.times, 7);
    t.strictSame(reminderNames(database), [], 'it is not looked at again');
    t.strictSame(database.letters, []);
  }
});

t.test(
  'one whose thread has no time for long has its reminder, and a node that drains leaves it',
  async t => {
    const { clock, node, database, draining, asked } = await park(t, Infinity, unavailable('overloaded'));
    await clock.advance(90_000);
    const { times } = asked;
    await clock.advance(180_000);
    t.equal(asked.times, times, 'it waits');
    await clock.advance(60_000);
    t.ok(asked.times > times, 'the reminder has come');
    t.equal(reminderNames(database).length, 1, 'and will come again');
    draining.abort();
    await clock.until(node.drain());
    t.equal(reminderNames(database).length, 1);
    t.strictSame(database.letters, []);
  },
);

t.test('one that an actor refuses is a dead letter, and is not repeated for ever', async t => {
  const { clock, database, asked } = await park(t, Infinity, new ServiceError('svc/runtime/conflict'));
  await clock.advance(3_600_000);
  t.match(database.letters, [{ name: 'perform:applyParked', attempts: 5 }]);
  t.equal(asked.times, 5);
  t.strictSame(reminderNames(database), []);
});
