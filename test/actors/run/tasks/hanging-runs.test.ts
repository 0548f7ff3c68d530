/** Runs whose models never answer. */
import t from 'tap';
import { resumeEveryMs } from '../../../../actors/run/state.ts';
import { newId } from '../../../../protocol/ids.ts';
import { head, tenancy } from '../run-harness.ts';
import { RunNodes, saying, takes } from '../run-nodes.ts';

t.test('runs that hang hold up neither those of another environment nor what stops them', async t => {
  const stopped: string[] = [];
  const nodes: RunNodes = new RunNodes({
    model: async ({ agentRunId, environmentId }, signal) => {
      if (environmentId !== tenancy.environmentId) return saying('Done.');
      signal.addEventListener('abort', () => stopped.push(agentRunId));
      await takes(nodes.clock, 100_000, signal);
      return saying('At last.');
    },
  });
  await nodes.start();
  const { node, metrics } = nodes.node.testNode;
  const begin = (id: string, more: object): Promise<unknown> =>
    node.ask({ kind: 'run', id }, 'begin', {
      ...tenancy,
      threadId: null,
      head,
      inputMessageId: null,
      basedOnSequence: 0,
      metadata: {},
      author: { type: 'system', id: null },
      ...more,
    });
  const hanging = Array.from({ length: 5_000 }, () => newId('run'));
  await nodes.clock.until(Promise.all(hanging.map(id => begin(id, {}))));
  await nodes.clock.advance(resumeEveryMs);
  const other = newId('run');
  await nodes.clock.until(begin(other, { environmentId: newId('environment') }));
  await nodes.clock.advance(1_000);
  t.match(nodes.database.read({ kind: 'run', id: other })?.state, { status: 'succeeded' });

  const cancel = { ...tenancy, by: 'request', reason: 'enough' };
  const first = hanging[0] ?? '';
  await nodes.clock.until(node.ask({ kind: 'run', id: first }, 'cancel', cancel));
  await nodes.clock.advance(1);
  t.strictSame(stopped, [first]);
  t.equal(metrics.counters.deadLetters, 0);
  await nodes.stop();
});
