/** How runs end: what the run shows, and what it tells its thread and the stitches. */
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import {
  runCommand,
  type BeginRun,
  type RunErrorCode,
  type RunFailure,
} from '../../../actors/run/commands.ts';
import { decodeRun } from '../../../actors/run/snapshot.ts';
import {
  maxRunMs,
  maxPendingMs,
  maxAnsweringMs,
  resumeEveryMs,
  maxResultCharacters,
  maxSteps,
  maxRunTokens,
} from '../../../actors/run/state.ts';
import type { Settlement, Suggestion } from '../../../actors/run/trace.ts';
import { head, outcome, RunHarness, tenancy, createStepCompleted, wanted } from './run-harness.ts';

/** A run whose first step is out. */
function started(threadId?: string | null): RunHarness {
  const run = new RunHarness(threadId);
  run.begin();
  run.work();
  return run;
}

const names = (run: RunHarness): string[] => run.events.map(({ name }) => name);
const ending = ({ state, told }: RunHarness): unknown => ({
  status: state.status,
  errorCode: state.errorCode,
  told: told.map(({ command }) => command),
});
const failed = (errorCode: RunErrorCode): unknown => ({ status: 'failed', errorCode, told: ['runOver'] });

t.test("an answer is its thread's to send", async t => {
  const run = started();
  run.answer({ text: 'Good day.' });
  t.match(run.told, [
    {
      to: { kind: 'thread', id: run.threadId },
      command: 'takeAnswer',
      payload: { body: 'Good day.', mode: 'auto' },
    },
  ]);
  t.equal(run.state.status, 'running');
  const messageId = newId('message');
  run.say(runCommand.answerDecided, { ...tenancy, outcome: 'sent', messageId });
  t.match(run.state, {
    status: 'succeeded',
    outputMessageId: messageId,
    promptTokens: 10,
    completionTokens: 2,
    totalTokens: 12,
    estimatedCostMicros: 3,
  });
  t.strictSame(names(run), ['agent.run.queued', 'agent.run.started', 'agent.run.succeeded']);
  t.equal(run.reminders.size, 0);
});

t.test('tools are called, and the model is told what came of them, each by its own name for it', async t => {
  const run = started();
  const messages = [{ role: 'assistant', content: 'let me see' }];
  run.answer({
    text: 'let me see',
    messages,
    calls: [wanted('tool_once', 7), wanted(null, 8, 'no such tool'), wanted('tool_once', 9)],
  });
  t.strictSame(
    run.calls.map(({ callId, status, attempts }) => [callId, status, attempts]),
    [
      [`${run.runId}.1.1`, 'pending', 1],
      [`${run.runId}.1.2`, 'failed', 0],
      [`${run.runId}.1.3`, 'pending', 1],
    ],
  );
  run.say(runCommand.toolCompleted, {
    ...outcome(`${run.runId}.1.3`, 'failed'),
    result: { status: 404 },
    httpStatus: 404,
  });
  t.equal(run.state.phase, 'calling');
  run.say(runCommand.toolCompleted, outcome(`${run.runId}.1.1`, 'succeeded'));
  t.equal(run.state.phase, 'thinking');
  const result = (n: number, output: unknown): unknown => ({
    type: 'tool-result',
    toolCallId: `call_${n}`,
    toolName: 'a_tool',
    output,
  });
  t.strictSame(run.state.turns, [
    ...messages,
    {
      role: 'tool',
      content: [
        result(7, { type: 'json', value: { callId: `${run.runId}.1.1` } }),
        result(8, { type: 'error-text', value: 'no such tool' }),
        result(9, { type: 'error-json', value: { status: 404 } }),
      ],
    },
  ]);
  t.equal(run.state.toolCallCount, 3);
  t.strictSame(names(run).slice(2), ['agent.tool.failed', 'agent.tool.failed', 'agent.tool.completed']);
});

t.test('a step of which no call can be made is followed by the next at once', async t => {
  const run = started();
  run.answer({ calls: [wanted(null, 1)] });
  t.equal(run.state.phase, 'thinking');
  run.work();
  t.match(run.here.steps, [{ step: 2 }]);
});

const codes: readonly RunErrorCode[] = [
  ...([
    'byok_missing',
    'model_not_allowed',
    'rate_limited',
    'key_rejected',
    'context_too_long',
    'refused',
  ] as const),
  ...([
    'timeout',
    'unreachable',
    'provider_error',
    'invalid_answer',
    'configuration',
    'internal_error',
  ] as const),
];
for (const code of codes) {
  t.test(`a step that fails ends the run: ${code}`, async t => {
    const run = started();
    run.fail(code);
    t.strictSame(ending(run), failed(code));
    t.equal(run.state.errorMessage, 'It has failed.');
    t.strictSame(names(run), ['agent.run.queued', 'agent.run.started', 'agent.run.failed']);
    t.match(run.here.tasks, [{ task: 'stop' }]);
  });
}

t.test('a key that the provider refuses has an event of its own', async t => {
  const run = started();
  const at = new Date(0).toISOString();
  const rejected = {
    byokCredentialId: newId('byok'),
    projectId: tenancy.projectId,
    provider: 'llm_provider_1' as const,
    displayName: 'ours',
    status: 'active' as const,
    keyFingerprint: 'abcd',
    modelAllowlist: [],
    metadata: {},
    createdAt: at,
    updatedAt: at,
  };
  const failure: RunFailure = { errorCode: 'key_rejected', errorMessage: 'No.', rejected };
  run.say(runCommand.stepCompleted, { step: 1, startedAt: run.now, durationMs: 1, failure });
  t.strictSame(names(run).slice(2), ['byok.credential.rejected', 'agent.run.failed']);
  t.strictSame(ending(run), failed('key_rejected'));
});

t.test('a budget that is used up makes the thread fall to its mode', async t => {
  const run = started();
  const budget = { scope: 'thread', limitMicros: 100, spentMicros: 120, fallsTo: 'paused' } as const;
  const errorCode = 'budget_exceeded';
  const failure: RunFailure = { errorCode, errorMessage: 'Enough.', budget, agentMode: 'suggest' };
  run.say(runCommand.stepCompleted, { step: 1, startedAt: run.now, durationMs: 1, failure });
  t.strictSame(ending(run), failed('budget_exceeded'));
  t.match(run.told, [{ payload: { budget, agentMode: 'suggest' } }]);
  t.strictSame(run.state.trace.budget, budget);
  t.strictSame(names(run).slice(2), ['agent.budget.exceeded', 'agent.run.failed']);
});

t.test('what an answer that is none has used counts for the run', async t => {
  const run = new RunHarness();
  run.begin();
  run.work();
  const spent = { promptTokens: 10, completionTokens: 4, costMicros: 50 };
  run.answer({ calls: [wanted('tool_once', 1)], ...spent });
  run.work();
  run.tool(true);
  run.work();
  run.fail('refused', run.here, { promptTokens: 12, completionTokens: null, costMicros: 60 });
  t.match(run.state, { promptTokens: 22, completionTokens: 4, totalTokens: 26, estimatedCostMicros: 110 });
  const first = new RunHarness();
  first.begin();
  first.work();
  first.fail('empty_answer', first.here, spent);
  t.match(first.state, { promptTokens: 10, completionTokens: 4, totalTokens: 14, estimatedCostMicros: 50 });
});

t.test('an empty answer fails the run', async t => {
  const run = started();
  run.answer({ text: ' \n' });
  t.strictSame(ending(run), failed('empty_answer'));
});

t.test('a loop of tool calls ends at the limit of steps', async t => {
  const run = started();
  for (let step = 1; step <= maxSteps; step++) {
    t.equal(run.state.status, 'running');
    run.answer({ calls: [wanted('tool_once', step)] });
    run.work();
    run.tool(true);
    run.work();
  }
  t.strictSame(ending(run), failed('step_limit'));
  t.equal(run.state.trace.steps.length, maxSteps);
  t.match(run.calls, [{ status: 'failed', attempts: 0 }], 'the last ones were never made');
  t.equal(run.made.size, maxSteps - 1);
});

t.test('the limit of tokens ends a run, but an answer that is there is taken', async t => {
  const loop = started();
  loop.answer({ promptTokens: maxRunTokens, calls: [wanted('tool_once', 1)] });
  t.strictSame(ending(loop), failed('token_limit'));
  const answer = started();
  answer.answer({ promptTokens: maxRunTokens, text: 'Just in time.' });
  t.equal(answer.state.phase, 'answering');
});

t.test('the results of a run are limited', async t => {
  const run = started();
  const large = 'x'.repeat(maxResultCharacters / 2);
  run.answer({ calls: [wanted('tool_once', 1), wanted('tool_once', 2)] });
  for (const { callId } of run.calls)
    run.say(runCommand.toolCompleted, { ...outcome(callId, 'succeeded'), result: large });
  t.match(run.calls, [{ status: 'succeeded' }, { status: 'failed', result: null }]);
});

t.test('a model that asks for a human, with and without a word', async t => {
  for (const text of ['A colleague will help you.', '']) {
    const run = started();
    run.answer({ text, handoff: { reason: 'a refund' }, calls: [wanted('tool_once', 1)] });
    t.match(run.told, [{ command: 'takeAnswer', payload: { body: text, handoff: { reason: 'a refund' } } }]);
    t.match(run.calls, [{ status: 'failed', attempts: 0 }]);
    run.say(runCommand.answerDecided, { ...tenancy, outcome: 'sent' });
    t.match(run.state, {
      status: 'succeeded',
      outputMessageId: null,
      trace: { handoff: { reason: 'a refund' } },
    });
  }
});

t.test('a run that takes too long, or is never begun, ends', async t => {
  const slow = started();
  slow.pass(maxRunMs - 1);
  t.equal(slow.state.status, 'running');
  slow.pass(1);
  t.strictSame(ending(slow), failed('timeout'));

  const waiting = new RunHarness();
  waiting.begin();
  waiting.pass(maxPendingMs - 1);
  t.equal(waiting.state.status, 'pending');
  waiting.pass(1);
  t.strictSame(ending(waiting), failed('timeout'));
});

t.test('the deadline of an earlier phase does not end a later one', async t => {
  const run = new RunHarness();
  run.begin();
  run.pass(maxPendingMs - 1);
  run.work();
  run.now += 10;
  run.say('expire', {});
  t.equal(run.state.status, 'running');
});

t.test('a reminder that comes too early, by a clock that was put back, is set again', async t => {
  const run = started();
  const { deadline } = run.state;
  run.reminders.delete('expire');
  run.now = deadline - 1_000;
  run.say('expire', {});
  t.match(run.reminders.get('expire'), { at: deadline, command: 'expire' });
  run.pass(1_000);
  t.match(run.state, { status: 'failed', errorCode: 'timeout' });
});

t.test('replies of a run do not grow with its trace: they may have to cross the bus', async t => {
  const big = 'x'.repeat(600_000);
  const size = (reply: unknown): number => JSON.stringify(reply).length;
  const grown = (): RunHarness => {
    const run = started();
    for (const n of [1, 2]) {
      run.answer({ text: big, calls: [wanted('tool_once', n)] });
      run.work();
      run.tool(true);
      run.work();
    }
    return run;
  };
  const cancelled = grown();
  const begin = cancelled.said.find(({ command }) => command === 'begin')?.payload as BeginRun;
  t.ok(size(cancelled.say('begin', begin)) < 10_000);
  t.ok(size(cancelled.say('cancel', { ...tenancy, by: 'request', reason: 'enough' })) < 10_000);
  t.equal(cancelled.state.status, 'cancelled');
  const suggested = grown();
  suggested.answer({ text: 'Good day.' });
  const suggestion: Suggestion = {
    status: 'pending',
    body: 'Good day.',
    basedOnSequence: 1,
    createdAt: new Date(0).toISOString(),
  };
  t.ok(
    size(suggested.say(runCommand.answerDecided, { ...tenancy, outcome: 'suggested', suggestion })) < 10_000,
  );
  const settlement: Settlement = {
    status: 'discarded',
    resolvedAt: new Date(1).toISOString(),
    resolvedByUserId: null,
  };
  t.ok(size(suggested.say('settleSuggestion', { ...tenancy, settlement })) < 10_000);
  t.match(suggested.state.trace, { suggestion: { status: 'discarded' } });
  t.ok(size(suggested.state.trace) > 1_048_576);
});

t.test('a thread that does not decide in time is asked again, and its decision holds', async t => {
  const run = started();
  run.answer({ text: 'Hello?', handoff: { reason: 'a refund' } });
  const [first] = run.told.splice(0);
  run.pass(resumeEveryMs);
  t.equal(run.state.status, 'running');
  t.match(run.told, [
    { command: 'takeAnswer', payload: { body: 'Hello?', handoff: { reason: 'a refund' } } },
  ]);
  t.strictSame(run.told[0]?.payload, first?.payload, 'the same again');
  const messageId = newId('message');
  run.say(runCommand.answerDecided, { ...tenancy, outcome: 'sent', messageId });
  t.match(run.state, { status: 'succeeded', outputMessageId: messageId });
});

t.test('a thread that never decides', async t => {
  const run = started();
  run.answer({ text: 'Hello?' });
  run.pass(maxAnsweringMs - 1);
  t.equal(run.state.status, 'running');
  run.pass(1);
  t.match(run.state, { status: 'failed', errorCode: 'internal_error' });
  run.say(runCommand.answerDecided, { ...tenancy, outcome: 'sent', messageId: newId('message') });
  t.equal(run.state.status, 'failed', 'too late');
});

t.test("the outcome follows the thread's decision", async t => {
  const suggestion: Suggestion = {
    status: 'pending',
    body: 'Good day.',
    basedOnSequence: 1,
    createdAt: new Date(0).toISOString(),
  };
  const suggested = started();
  suggested.answer({ text: 'Good day.' });
  const settlement: Settlement = {
    status: 'edited' as const,
    resolvedAt: new Date(1).toISOString(),
    resolvedByUserId: newId('user'),
    sentBody: 'Good evening.',
    messageId: newId('message'),
  };
  t.equal(suggested.say('settleSuggestion', { ...tenancy, settlement }), undefined, 'not before the verdict');
  suggested.say(runCommand.answerDecided, { ...tenancy, outcome: 'suggested', suggestion });
  t.match(suggested.state, { status: 'succeeded', outputMessageId: null, trace: { suggestion } });
  suggested.say('settleSuggestion', { ...tenancy, settlement });
  t.match(suggested.state, {
    outputMessageId: settlement.messageId,
    trace: { suggestion: { ...suggestion, ...settlement } },
  });
  const settled = suggested.state;
  suggested.say('settleSuggestion', { ...tenancy, settlement: { ...settlement, status: 'discarded' } });
  t.strictSame(suggested.state, settled, 'once');

  const superseded = started();
  superseded.answer({ text: 'Good day.' });
  superseded.say(runCommand.answerDecided, {
    ...tenancy,
    outcome: 'superseded',
    suggestion: { ...suggestion, status: 'superseded' },
  });
  t.match(superseded.state, { status: 'succeeded', trace: { suggestion: { status: 'superseded' } } });

  const cancelled = started();
  cancelled.answer({ text: 'Good day.' });
  const reason = 'The agent was paused.';
  cancelled.say(runCommand.answerDecided, { ...tenancy, outcome: 'cancelled', reason });
  t.match(cancelled.state, { status: 'cancelled', errorCode: null, errorMessage: reason });
  t.strictSame(
    cancelled.told.map(({ command }) => command),
    ['takeAnswer'],
    'the thread knows',
  );
});

t.test('cancelling', async t => {
  const byRequest = { ...tenancy, by: 'request', reason: 'Cancelled by request.' } as const;
  const pending = new RunHarness();
  t.equal(pending.say('cancel', { ...byRequest, by: 'thread' }), undefined, 'not begun: to be said again');
  t.equal(pending.say('cancel', byRequest), undefined, 'not found');
  pending.begin();
  pending.say('cancel', byRequest);
  t.strictSame(ending(pending), { status: 'cancelled', errorCode: null, told: ['runOver'] });
  t.equal(pending.state.errorMessage, byRequest.reason);
  t.equal(pending.say('cancel', byRequest), undefined, 'it has ended');
  t.equal(pending.say('cancel', { ...byRequest, by: 'thread' }), null, 'by its thread, it is nothing new');

  const calling = started();
  calling.answer({ calls: [wanted('tool_thrice', 1)] });
  calling.say('cancel', { ...byRequest, by: 'thread' });
  t.strictSame(ending(calling), { status: 'cancelled', errorCode: null, told: [] });
  t.match(calling.calls, [{ status: 'interrupted' }]);
  t.equal(calling.here.tasks.at(-1)?.task, 'stop');

  const answering = started();
  answering.answer({ text: 'Good day.' });
  t.equal(answering.say('cancel', byRequest), undefined, 'its thread decides');
  t.equal(
    answering.say('cancel', { ...byRequest, projectId: newId('project') }),
    undefined,
    "another tenant's",
  );
});

t.test('a run without a thread keeps its answer in the trace', async t => {
  const run = started(null);
  run.answer({ text: 'Good day.' });
  t.strictSame(ending(run), { status: 'succeeded', errorCode: null, told: [] });
  t.match(run.state.trace.steps, [{ output: 'Good day.' }]);
});

t.test('events show the run without the steps of its trace', async t => {
  const run = started(null);
  run.answer({ text: 'Good day.' });
  const last = run.events.at(-1)?.data['agentRun'];
  t.match(last, { agentRunId: run.runId, status: 'succeeded', trace: { steps: [] } });
  t.notMatch(JSON.stringify(last), 'Good day');
});

t.test('a row whose trace and state were erased can still be read', async t => {
  const row = {
    project_id: 'p',
    environment_id: 'e',
    agent_id: head.agentId,
    loom_id: null,
    loom_version_id: null,
    thread_id: null,
    input_message_id: null,
    output_message_id: null,
    status: 'succeeded' as const,
    provider: head.provider,
    model: 'm',
    mode: head.mode,
    prompt_tokens: 1,
    completion_tokens: 1,
    total_tokens: 2,
    estimated_cost_micros: null,
    error_code: null,
    error_message: null,
    tool_call_count: 0,
    metadata: {},
    started_at: null,
    completed_at: null,
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
  };
  for (const [trace, state] of [
    [{}, null],
    [{ steps: [] }, {}],
    [{}, { turns: [] }],
  ] as const) {
    t.match(decodeRun({ ...row, trace, state }), {
      phase: 'over',
      trace: { steps: [] },
      turns: [],
      calls: [],
    });
    t.equal(decodeRun({ ...row, status: 'running', trace, state }).phase, 'thinking');
  }
});

t.test('a result for another step or call changes nothing', async t => {
  const run = started();
  run.say(runCommand.stepCompleted, createStepCompleted(2, run.now, { text: 'Early.' }));
  t.equal(run.state.phase, 'thinking');
  run.answer({ calls: [wanted('tool_thrice', 1)] });
  const { callId } = run.calls[0] ?? { callId: '' };
  const before = run.state;
  for (const [id, attempt] of [
    [callId, 1],
    [callId, 3],
    [`${callId}0`, 2],
  ] as const) {
    t.equal(run.say('attempt', { callId: id, attempt }), false);
  }
  run.say(runCommand.toolCompleted, outcome(`${callId}0`, 'succeeded'));
  run.say(runCommand.stepCompleted, createStepCompleted(1, run.now, { text: 'Again.' }));
  t.strictSame(run.state, before);
});
