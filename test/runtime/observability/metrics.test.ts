import t from 'tap';
import { Duplicate, LimitReached } from '../../../runtime/actor/store.ts';
import type { Fault } from '../../support/memory-store.ts';
import { counterRef } from '../counter-actor.ts';
import { outcome, startTestNode } from '../node-fixture.ts';

t.test('the registry counts what a node did', async t => {
  const { node, clock, metrics } = await startTestNode(t, { latencyMs: () => 5 });
  const a = counterRef('a');
  const asks = [
    node.ask(a, 'add', { mark: 'x', once: 'k' }),
    node.ask(a, 'add', { mark: 'y', once: 'k' }),
    node.ask(a, 'refuse', {}),
  ];
  await clock.until(Promise.all(asks.map(outcome)));
  const lines = (await metrics.registry.metrics()).split('\n');
  const values = [
    'skein_turns_total{kind="counter"} 4',
    'skein_refusals_total{kind="counter"} 2',
    'skein_activations_total{kind="counter"} 1',
    'skein_commits_total 1',
    'skein_commits_refused_total 0',
    'skein_commits_fenced_total 0',
    'skein_commit_refusals_total{reason="duplicate"} 1',
    'skein_mailbox_deepest 0',
    'skein_residents 1',
    'skein_commands 0',
    'skein_shards 256',
    'skein_commit_milliseconds_bucket{le="5"} 0',
    'skein_commit_milliseconds_bucket{le="10"} 1',
    'skein_commit_milliseconds_bucket{le="+Inf"} 1',
    'skein_commit_milliseconds_sum 10',
    'skein_commit_milliseconds_count 1',
    'skein_mailbox_depth_bucket{le="1"} 2',
    'skein_mailbox_depth_count 3',
  ];
  for (const value of values) t.ok(lines.includes(value), value);
  t.ok(lines.includes('# TYPE skein_commit_milliseconds histogram'));
  t.ok(lines.includes('# TYPE skein_turns_total counter'));
  t.equal(await metrics.registry.metrics(), lines.join('\n'), 'a scrape changes nothing');
});

t.test('a key that was taken and a tenant at its limit are no refusals of the store', async t => {
  const faults: Fault[] = [
    new Duplicate('once', 'k'),
    new LimitReached('agents', 5),
    'unavailable',
    new Error('odd'),
  ];
  const { node, clock, metrics } = await startTestNode(t, { fault: () => faults.shift() });
  const refused: number[] = [];
  for (const mark of ['a', 'b', 'c', 'd']) {
    await clock.until(outcome(node.ask(counterRef(mark), 'add', { mark })));
    refused.push(metrics.counters.refusedCommits);
  }
  t.strictSame(refused, [0, 0, 1, 2]);
  const text = await metrics.registry.metrics();
  for (const reason of ['duplicate', 'limit', 'unavailable', 'error']) {
    t.ok(text.includes(`skein_commit_refusals_total{reason="${reason}"} 1`), reason);
  }
});
