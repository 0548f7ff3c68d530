/** Many tasks of stitches at once: none is dropped, none holds up those of others, and none is begun twice because a scan comes again. */
import t, { type Test } from 'tap';
import type { LoadOrder, SendBatch, StitchCommands } from '../../../../actors/stitch/commands.ts';
import { resume } from '../../../../actors/stitch/decide-delivery.ts';
import { createStitches } from '../../../../actors/stitch/kind.ts';
import type { StitchServices } from '../../../../actors/stitch/services.ts';
import { blankStitch, type ReplayJob, type StitchState } from '../../../../actors/stitch/state.ts';
import type { Effect } from '../../../../runtime/actor/actor.ts';
import { Effects } from '../../../../runtime/actor/effects.ts';
import { createKinds } from '../../../../runtime/actor/kind.ts';
import { parseLimits } from '../../../../runtime/actor/node-context.ts';
import { silentLog } from '../../../../runtime/observability/log.ts';
import { Metrics } from '../../../../runtime/observability/metrics.ts';
import { FollowedLog } from '../../../../storage/deliveries/followed-log.ts';
import { seeded } from '../../../support/seeded.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

/** More than ever ran at once. */
const many = 5_000;
const result = { at: 0, durationMs: 1, status: 200, body: '' } as const;

/** The tasks of a node's stitches, where one task may be queued. The stitches themselves answer as if they took everything. */
function createFixture(given: Partial<Pick<StitchServices, 'db' | 'pool' | 'archived'>>) {
  const clock = new VirtualClock();
  const random = seeded(1);
  const limits = parseLimits({ tasksQueued: 1 });
  const metrics = new Metrics();
  const unused = (): never => {
    throw new Error('this is not what is tested');
  };
  const db: StitchServices['db'] = given.db ?? { query: unused };
  const stitches = createStitches({
    db,
    followedLog: new FollowedLog(db, clock),
    pool: { send: unused },
    archived: { has: () => false },
    vault: { open: () => Promise.resolve('secret') },
    clock,
    random,
    log: silentLog,
    notifyOwner: unused,
    ...given,
  });
  /** What the stitches were told, each as its id and the command. */
  const told: string[] = [];
  const dropped: string[] = [];
  const effects = new Effects({
    kinds: createKinds([stitches.kind], 256, limits, metrics),
    store: {
      addDeadLetter: ({ name, error }) => {
        dropped.push(`${name} ${error}`);
        return Promise.resolve();
      },
    },
    clock,
    random,
    limits,
    log: silentLog,
    counters: metrics.counters,
    ask: ({ id }, command, payload) => {
      told.push(`${id} ${command}`);
      if (command !== 'settled') return Promise.resolve(null);
      const { results } = payload as StitchCommands['settled']['payload'];
      const none = { attempts: null, retryAt: null, holdUntil: null };
      return Promise.resolve(results.map(({ delivery }) => ({ ...delivery, ...none })));
    },
    tell: unused,
  });
  const perform = (id: string, ...started: readonly Effect[]): void =>
    effects.start({ ref: { kind: 'stitch', id }, pins: 0 }, started);
  return { clock, stitches, effects, told, dropped, perform };
}

function createLoad(projectId: string): Effect {
  const none = {
    events: null,
    oldRowsFirst: false,
    threads: [],
    before: 1,
    rows: null,
    due: 0,
    holds: false,
  };
  const order: LoadOrder = { projectId, environmentId: 'env_1', request: { askedAt: 0, ...none } };
  return { do: 'perform', task: 'load', payload: order };
}

/** A batch of one delivery, whose id is that of its stitch. */
function createSend(projectId: string, stitchId: string): Effect {
  const at = '2026-11-20T12:00:00.000Z';
  const batch: SendBatch = {
    url: 'https://receiver.example/hook',
    httpsOnly: true,
    projectId,
    secrets: [{ jwe: 'jwe' }],
    deliveries: [
      {
        deliveryId: stitchId,
        createdAt: at,
        eventId: 'evt_1',
        eventSeq: 1,
        eventName: 'thread.message.received',
        eventAt: at,
        threadId: null,
        trigger: 'scheduled',
        attempts: 0,
        firstAttemptAt: null,
        hasRow: false,
      },
    ],
    stops: 0,
    provenHost: null,
  };
  return { do: 'perform', task: 'send', payload: batch };
}

/** Sends for `many` stitches of one project, whose receivers hang; whatever else is sent is answered at once. */
async function hang(t: Test) {
  const answered = Promise.withResolvers<undefined>();
  const out: string[] = [];
  /** Of events, the bodies; open deliveries there are none. */
  const query = (_text: string, [keys]: readonly unknown[] = []): Promise<never[]> => {
    const rows = Array.isArray(keys) ? keys.map((_, i) => ({ n: i + 1, body: '{}', traceparent: null })) : [];
    return Promise.resolve(rows as object[] as never[]);
  };
  const fixture = createFixture({
    db: { query },
    pool: {
      send: async (_request, owner) => {
        out.push(owner);
        if (owner === 'prj_slow') await answered.promise;
        return result;
      },
    },
  });
  const { clock, perform, dropped } = fixture;
  for (let i = 0; i < many; i++) perform(`stitch_${i}`, createSend('prj_slow', `stitch_${i}`));
  await clock.flush();
  t.strictSame(dropped, []);
  t.ok(out.length > 1_000 && out.length < many, `${out.length} are out, and the others wait`);
  t.equal(fixture.stitches.turns.batches.waiting, many - out.length);
  return { ...fixture, out, answer: () => answered.resolve(undefined) };
}

t.test('no load is dropped, however many stitches load at once', async t => {
  const isArchived = Promise.withResolvers<boolean>();
  const { clock, stitches, effects, told, dropped, perform } = createFixture({
    archived: { has: () => isArchived.promise },
  });
  for (let i = 0; i < many; i++) perform(`stitch_${i}`, createLoad('prj_1'));
  await clock.flush();
  t.strictSame(dropped, []);
  t.equal(stitches.turns.loads.waiting, many - 512);
  isArchived.resolve(true);
  await clock.until(effects.whenIdle());
  t.equal(stitches.turns.loads.waiting, 0);
  t.strictSame(new Set(told).size, many, 'each stitch is told that its load has ended');
});

t.test('receivers that hang hold up no other project, no load, and no delivery for good', async t => {
  const { clock, effects, told, dropped, perform, out, answer } = await hang(t);
  perform('stitch_other', createSend('prj_other', 'stitch_other'));
  perform('stitch_loads', createLoad('prj_other'));
  perform('stitch_of_the_same', createLoad('prj_slow'));
  await clock.flush();
  t.equal(out.at(-1), 'prj_other');
  t.strictSame(told.filter(each => !each.endsWith('progress')).sort(), [
    'stitch_loads loaded',
    'stitch_of_the_same loaded',
    'stitch_other settled',
  ]);
  answer();
  await clock.until(effects.whenIdle());
  t.equal(told.filter(each => each.endsWith('settled')).length, many + 1);
  t.strictSame(dropped, []);
});

t.test('what waits for its turn is given back when its stitch is stopped', async t => {
  const { clock, effects, told, perform, out, answer } = await hang(t);
  const last = `stitch_${many - 1}`;
  const cancel = { until: '2026-11-20T12:00:00.000Z', except: [], stops: 1 };
  perform(last, { do: 'perform', task: 'cancel', payload: cancel });
  await clock.flush();
  t.strictSame(told.sort(), [`${last} cancelled`, `${last} postpone`]);
  answer();
  await clock.until(effects.whenIdle());
  t.equal(out.length, many - 1, 'and is not sent');
});

t.test('what waits for its turn is left where it is when the node drains', async t => {
  const { clock, stitches, effects, told, out, answer } = await hang(t);
  const before = out.length;
  stitches.drain();
  await clock.flush();
  t.equal(effects.running, before, 'only what is out is waited for');
  t.equal(stitches.inFlight, before);
  answer();
  await clock.until(effects.whenIdle());
  t.equal(out.length, before);
  t.equal(told.filter(each => each.endsWith('settled')).length, before);
});

t.test('what a stitch has to finish is begun once, however often a scan tells it', async t => {
  const job: ReplayJob = {
    id: '1',
    sourceStitchId: 'stitch_1',
    since: '2026-11-20T12:00:00.000Z',
    until: '2026-11-20T13:00:00.000Z',
    eventNames: [],
    statuses: ['failed'],
    after: null,
  };
  const state: StitchState = {
    ...blankStitch(),
    projectId: 'prj_1',
    replays: [job, { ...job, id: '2' }],
    cancelUntil: '2026-11-20T12:00:00.000Z',
    stops: 1,
  };
  /** Statements that do not come back, and how they end. */
  const open: (() => void)[] = [];
  const { clock, effects, told, perform } = createFixture({
    db: { query: () => new Promise<never[]>(resolve => open.push(() => resolve([]))) },
  });
  const tell = async (times: number): Promise<void> => {
    for (let i = 0; i < times; i++) {
      perform('stitch_1', ...(resume(state, {}, { now: clock.now() + i, id: 'stitch_1' }).effects ?? []));
      await clock.flush();
    }
  };
  await tell(10);
  t.equal(open.length, 3, 'a page of each replay, and one of the cancellation');
  // The stitch starts the next page before the task of this one has its answer.
  perform('stitch_1', {
    do: 'perform',
    task: 'replay',
    payload: { ...job, after: { createdAt: job.since, eventSeq: 1 } },
  });
  await clock.flush();
  t.equal(open.length, 4, 'the next page is another');
  while (open.length > 0) {
    for (const end of open.splice(0)) end();
    await clock.flush();
  }
  await clock.until(effects.whenIdle());
  t.strictSame(told.sort(), [
    'stitch_1 cancelled',
    'stitch_1 replayPage',
    'stitch_1 replayPage',
    'stitch_1 replayPage',
  ]);
  await tell(1);
  t.equal(open.length, 3, 'what has ended is begun again, where the row still says so');
  for (const end of open.splice(0)) end();
});
