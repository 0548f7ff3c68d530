/** Calls that a person has to approve: made once they are approved, refused in every other case, and waited for by nothing but a row. */
import t from 'tap';
import { runCommand } from '../../../actors/run/commands.ts';
import { maxApprovalMs, maxRunMs } from '../../../actors/run/state.ts';
import { newId } from '../../../protocol/ids.ts';
import { askingTool, outcome, RunHarness, tenancy, wanted } from './run-harness.ts';

const author = { type: 'user', id: newId('user') } as const;

/** A run whose model wants a call that has to be approved, and one that has not. */
function asking(): RunHarness & { readonly first: string; readonly second: string } {
  const run = new RunHarness();
  run.begin();
  run.work();
  run.answer({ text: 'let me see', calls: [wanted(askingTool, 1), wanted('tool_once', 2)] });
  return Object.assign(run, { first: `${run.runId}.1.1`, second: `${run.runId}.1.2` });
}

const resolve = (run: RunHarness, callId: string, action: 'approve' | 'refuse', more: object = {}) =>
  run.say('resolveCall', { ...tenancy, callId, action, author, ...more });

const names = (run: RunHarness): string[] => run.events.map(({ name }) => name).slice(2);

t.test('the call waits; another one of the step does not', async t => {
  const run = asking();
  t.match(run.calls, [
    {
      status: 'awaiting_approval',
      attempts: 0,
      approval: { status: 'pending', expiresAt: new Date(run.now + maxApprovalMs).toISOString() },
    },
    { status: 'pending', attempts: 1 },
  ]);
  t.strictSame(names(run), ['agent.tool.approval_requested']);
  t.match(run.events.at(-1)?.data, { agentRunId: run.runId, callId: run.first, toolId: askingTool });
  run.work();
  run.tool(true);
  t.strictSame(run.made.get(run.second), [1]);
  t.equal(run.state.phase, 'calling');
  run.pass(60_000);
  t.strictSame([...run.reminders.keys()].sort(), ['approvals', 'expire'], 'nothing wakes it for a day');
  run.move(true);
  t.strictSame(run.here.tasks, [], 'nor is there anything to do on another node');
});

t.test(
  'approved, it is made, and the model gets its result; the time it has waited does not count',
  async t => {
    const run = asking();
    run.work();
    run.tool(true);
    run.pass(maxRunMs * 10);
    t.equal(run.state.status, 'running');
    t.equal(resolve(run, run.first, 'approve'), null);
    t.match(run.calls[0], { status: 'pending', attempts: 1, approval: { status: 'approved' } });
    t.match(run.calls[0]?.approval, {
      resolvedByUserId: author.id,
      resolvedAt: new Date(run.now).toISOString(),
    });
    t.match(run.events.at(-1), {
      name: 'agent.tool.approval_resolved',
      data: { callId: run.first, status: 'approved', actor: author },
    });
    t.equal(resolve(run, run.first, 'refuse'), undefined, 'once');
    run.work();
    run.tool(true);
    t.equal(run.state.phase, 'thinking');
    run.pass(maxRunMs - 1);
    t.equal(run.state.status, 'running');
    run.pass(1);
    t.match(run.state, { status: 'failed', errorCode: 'timeout' });
    t.equal(run.reminders.size, 0);
  },
);

t.test(
  'the node dies right after the approval: the call is made by the next one, if its rule allows',
  async t => {
    const run = asking();
    run.work();
    run.tool(true);
    resolve(run, run.first, 'approve');
    run.move(true);
    run.pass(40_000);
    while (run.here.tasks.length > 0) run.work();
    t.strictSame(run.made.get(run.first), [2]);
    run.tool(true);
    t.equal(run.state.phase, 'thinking');
  },
);

t.test('refused, the model is told why', async t => {
  const run = asking();
  resolve(run, run.first, 'refuse', { reason: 'too old' });
  const error = 'the call was not made: it was refused: too old';
  t.match(run.calls[0], {
    status: 'failed',
    attempts: 0,
    error,
    approval: { status: 'refused', reason: 'too old' },
  });
  t.strictSame(names(run).slice(1), ['agent.tool.approval_resolved', 'agent.tool.failed']);
  t.equal(run.state.phase, 'calling', 'the other one is still awaited');
  run.say(runCommand.toolCompleted, outcome(run.second, 'succeeded'));
  t.equal(run.state.phase, 'thinking');
  t.match(run.state.turns.at(-1), { content: [{ output: { type: 'error-text', value: error } }, {}] });
  t.notOk(run.made.has(run.first));
});

t.test('nobody decides for a day', async t => {
  const run = asking();
  run.work();
  run.tool(true);
  run.pass(maxApprovalMs - 1);
  t.equal(run.calls[0]?.status, 'awaiting_approval');
  run.pass(1);
  t.match(run.calls[0], { status: 'failed', error: /within a day/, approval: { status: 'expired' } });
  t.equal(run.state.phase, 'thinking');
  t.equal(resolve(run, run.first, 'approve'), undefined);
  t.match(run.events.find(({ name }) => name === 'agent.tool.approval_resolved')?.data, {
    status: 'expired',
    actor: { type: 'system' },
  });
});

t.test('after a day nobody can approve it, even where the reminder has not come yet', async t => {
  for (const action of ['approve', 'refuse'] as const) {
    const run = asking();
    run.work();
    run.tool(true);
    run.now += maxApprovalMs;
    t.equal(resolve(run, run.first, action), undefined);
    t.equal(run.calls[0]?.status, 'awaiting_approval');
    run.pass(0);
    t.match(run.calls[0], { status: 'failed', approval: { status: 'expired' } });
    t.notOk(run.made.has(run.first));
  }
});

t.test('a person who takes over the thread refuses it, and what the model wants after that', async t => {
  const run = asking();
  run.work();
  run.tool(true);
  run.say('humanTookOver', tenancy);
  t.match(run.calls[0], { status: 'failed', approval: { status: 'refused', reason: /taken over/ } });
  run.work();
  run.answer({ calls: [wanted(askingTool, 3), wanted('tool_once', 4)] });
  t.match(run.calls, [{ status: 'failed', attempts: 0, error: /taken over/ }, { status: 'pending' }]);
  t.notOk(run.reminders.has('approvals'));
  const none = new RunHarness();
  t.equal(none.say('humanTookOver', tenancy), undefined, 'not begun: to be told again');
});

t.test('a run that ends waits for nobody', async t => {
  const run = asking();
  run.say('cancel', { ...tenancy, by: 'request', reason: 'enough' });
  t.match(run.calls[0], { status: 'interrupted', approval: { status: 'refused' } });
  t.equal(run.reminders.size, 0);
  t.equal(resolve(run, run.first, 'approve'), undefined);
});

t.test('only a call of the run, of its tenant, that waits, can be resolved', async t => {
  const run = asking();
  t.equal(resolve(run, `${run.runId}.7.1`, 'approve'), undefined);
  t.equal(resolve(run, run.second, 'approve'), undefined);
  t.equal(resolve(run, run.first, 'approve', { environmentId: newId('environment') }), undefined);
  t.equal(run.calls[0]?.status, 'awaiting_approval');
});
