import t from 'tap';
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
    'skein_commits_refused_total 1',
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
