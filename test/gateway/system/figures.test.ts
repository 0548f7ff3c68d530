/** The history of a node's figures: increases over spans, gauges that hold, quantiles as Prometheus has them. */
import { Counter, Gauge, Registry } from 'prom-client';
import t from 'tap';
import { addBuckets, FigureHistory, findQuantile } from '../../../gateway/system/figures.ts';
import { Metrics } from '../../../runtime/observability/metrics.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const minuteMs = 60_000;

async function createHistory(registry: Registry) {
  const clock = new VirtualClock();
  const history = new FigureHistory(registry, clock);
  await history.start();
  t.teardown(() => history.stop());
  return { clock, history };
}

t.test('an increase is of its own span, and what was before the start is none', async t => {
  const { registry, counters, refusedBy } = new Metrics();
  counters.refusedCommits = 7;
  counters.deadLetters = 1;
  refusedBy.add('unavailable', 7);
  const { clock, history } = await createHistory(registry);
  t.match((await history.read()).increases, { commitsRefused: 0, deadLetters: 0 });
  counters.refusedCommits += 3;
  counters.deadLetters += 2;
  refusedBy.add('unavailable', 2);
  refusedBy.add('limit');
  t.match((await history.read()).increases, { commitsRefused: 3, deadLetters: 2 }, 'at once');
  t.strictSame((await history.read()).refusals, [
    { reason: 'unavailable', recent: 2, total: 9 },
    { reason: 'limit', recent: 1, total: 1 },
  ]);
  await clock.advance(4 * minuteMs);
  t.match((await history.read()).increases, { commitsRefused: 3, deadLetters: 2 });
  await clock.advance(2 * minuteMs);
  t.match((await history.read()).increases, { commitsRefused: 0, deadLetters: 2 }, 'of 5 minutes, and of 15');
  t.match((await history.read()).refusals, [{ recent: 0, total: 9 }, { recent: 0 }]);
  await clock.advance(10 * minuteMs);
  t.match((await history.read()).increases, { deadLetters: 0 });
});

t.test('answers and questions to models are counted by how they ended', async t => {
  const registry = new Registry();
  const answers = new Counter({
    name: 'skein_rest_answers_total',
    help: 'x',
    labelNames: ['operation', 'status'],
    registers: [registry],
  });
  const steps = new Counter({
    name: 'skein_model_steps_total',
    help: 'x',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const calls = new Counter({
    name: 'skein_provider_calls_total',
    help: 'x',
    labelNames: ['provider', 'outcome'],
    registers: [registry],
  });
  const { history } = await createHistory(registry);
  calls.inc({ provider: 'chatapp', outcome: 'succeeded' }, 3);
  calls.inc({ provider: 'chatapp', outcome: 'rate_limited' }, 1);
  calls.inc({ provider: 'chatapp', outcome: 'unreachable' }, 2);
  calls.inc({ provider: 'llm_provider_1', outcome: 'unreachable' }, 9);
  answers.inc({ operation: 'a', status: 200 }, 5);
  answers.inc({ operation: 'a', status: 404 }, 2);
  answers.inc({ operation: 'b', status: 503 }, 3);
  steps.inc({ outcome: 'succeeded' }, 4);
  steps.inc({ outcome: 'timeout' }, 1);
  steps.inc({ outcome: 'budget_exceeded' }, 1);
  t.match((await history.read()).increases, {
    answers: 10,
    serverErrors: 3,
    modelSteps: 6,
    modelFailures: 1,
    chatappCalls: 6,
    chatappFailures: 2,
    overloaded: 0,
  });
});

t.test('a gauge that is high for a moment is not sick; one that stays is', async t => {
  const registry = new Registry();
  const waiting = new Gauge({
    name: 'skein_outbound_waiting',
    help: 'x',
    labelNames: ['queue'],
    registers: [registry],
  });
  const shards = new Gauge({
    name: 'skein_cluster_shards',
    help: 'x',
    labelNames: ['state'],
    registers: [registry],
  });
  waiting.set({ queue: 'deliveries' }, 0);
  shards.set({ state: 'held' }, 9);
  const { clock, history } = await createHistory(registry);
  await clock.advance(2 * minuteMs);
  waiting.set({ queue: 'deliveries' }, 5);
  shards.set({ state: 'vacant' }, 3);
  t.match(await history.read(), { heldWaiting: 0, heldVacantShards: 0 });
  t.strictSame((await history.read()).pools, [], 'without the number in flight there is no pool');
  await clock.advance(minuteMs + 15_000);
  t.match(await history.read(), { heldWaiting: 5, heldVacantShards: 3 });
  waiting.set({ queue: 'deliveries' }, 0);
  t.match(await history.read(), { heldWaiting: 0, heldVacantShards: 3 });
});

t.test('it keeps half an hour, and no more', async t => {
  const { registry, counters } = new Metrics();
  const { clock, history } = await createHistory(registry);
  for (let hours = 0; hours < 3; hours++) {
    counters.takeovers++;
    await clock.advance(60 * minuteMs);
  }
  t.match((await history.read()).increases, { sweepFailures: 0 });
  history.stop();
  t.equal(clock.pending, 0);
});

t.test('a quantile lies in its bucket; of several nodes the buckets are added', async t => {
  const buckets = [
    [10, 0],
    [100, 80],
    [1_000, 100],
    [null, 100],
  ] as const;
  t.equal(findQuantile(0.5, buckets), 10 + 90 * (50 / 80));
  t.equal(findQuantile(0.9, buckets), 550);
  t.equal(
    findQuantile(0.99, [
      [10, 1],
      [null, 100],
    ]),
    10,
    'beyond the last end nothing is known',
  );
  t.equal(
    findQuantile(0.5, [
      [10, 0],
      [null, 0],
    ]),
    null,
  );
  t.equal(findQuantile(0.5, []), null);
  t.strictSame(addBuckets([buckets, [], buckets]), [
    [10, 0],
    [100, 160],
    [1_000, 200],
    [null, 200],
  ]);
});
