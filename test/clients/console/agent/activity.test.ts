/** What agents do in a thread, whatever comes first. */
import fc from 'fast-check';
import t from 'tap';
import {
  addRuns,
  isPending,
  noActivity,
  takeAgentEvent,
  takeDelta,
  takeModeEvent,
  wasSent,
  type AgentActivity,
} from '../../../../clients/console/agent/activity.ts';
import type { AgentRun, EphemeralEvent, SkeinEvent, Suggestion } from '../../../../clients/sdk/index.ts';

const suggest = (status: Suggestion['status'], createdAt = '2026-11-22T10:00:00Z'): Suggestion => ({
  body: 'We open at nine.',
  status,
  basedOnSequence: 1,
  createdAt,
});
const createRun = (status: AgentRun['status'], suggestion?: Suggestion): AgentRun =>
  ({
    agentRunId: 'run_1',
    status,
    trace: { steps: [], ...(suggestion !== undefined && { suggestion }) },
    createdAt: '2026-11-22T10:00:00Z',
    updatedAt: '2026-11-22T10:00:00Z',
  }) as unknown as AgentRun;
const createEvent = (eventName: SkeinEvent['eventName'], data: object): SkeinEvent =>
  ({
    eventName,
    occurredAt: '2026-11-22T10:00:01Z',
    data: { agentRunId: 'run_1', ...data },
  }) as unknown as SkeinEvent;
const createDelta = (delta: string) =>
  ({ eventName: 'agent.output.delta', data: { agentRunId: 'run_1', delta } }) as Extract<
    EphemeralEvent,
    { eventName: 'agent.output.delta' }
  >;

t.test('a suggestion that has ended stays so, and keeps its text', async t => {
  const offers: readonly ((activity: AgentActivity) => AgentActivity)[] = [
    activity => addRuns(activity, [createRun('succeeded', suggest('pending'))]),
    activity =>
      takeAgentEvent(activity, createEvent('agent.suggestion.created', { suggestion: suggest('pending') })),
    activity => addRuns(activity, [createRun('running')]),
  ];
  const { body: _body, ...ended } = suggest('superseded');
  const end = (activity: AgentActivity) =>
    takeAgentEvent(activity, createEvent('agent.suggestion.superseded', { suggestion: ended }));
  fc.assert(
    fc.property(fc.shuffledSubarray([...offers], { minLength: 1 }), fc.nat(3), (chosen, at) => {
      const steps = [...chosen.slice(0, at), end, ...chosen.slice(at)];
      const { suggestion } = steps.reduce((activity, step) => step(activity), noActivity);
      return suggestion?.suggestion.status === 'superseded';
    }),
  );
  const seen = end(offers[1]?.(noActivity) ?? noActivity);
  t.equal(seen.suggestion?.body, 'We open at nine.');
});

t.test('what a model writes is shown until its run has ended; what comes later is not', async t => {
  let activity = takeDelta(takeDelta(noActivity, createDelta('We ')), createDelta('open'));
  t.strictSame(activity.writing, { agentRunId: 'run_1', text: 'We open' });
  activity = takeAgentEvent(
    activity,
    createEvent('agent.run.succeeded', { agentRun: createRun('succeeded') }),
  );
  t.equal(activity.writing, undefined);
  t.equal(takeDelta(activity, createDelta(' late')).writing, undefined);
});

t.test('a run does not go back', async t => {
  const activity = addRuns(addRuns(noActivity, [createRun('failed')]), [createRun('running')]);
  t.equal(activity.runs.get('run_1')?.status, 'failed');
  t.equal(activity.running, undefined);
});

t.test('a tool that waits for leave waits no longer than its run, however its end is learned of', async t => {
  const asked = takeAgentEvent(
    addRuns(noActivity, [createRun('running')]),
    createEvent('agent.tool.approval_requested', { callId: 'call_1', expiresAt: '2026-11-22T11:00:00Z' }),
  );
  t.match(addRuns(asked, [createRun('running')]).waitingCalls, [{ callId: 'call_1' }]);
  t.strictSame(addRuns(asked, [createRun('cancelled')]).waitingCalls, [], 'as after a reset');
});

t.test('what becomes of a suggestion decides where the text that was made of it belongs', async t => {
  const pending = addRuns(noActivity, [createRun('succeeded', suggest('pending'))]);
  t.ok(isPending(pending, 'run_1'));
  t.notOk(isPending(pending, 'run_2'));
  const end = (change: Partial<Suggestion>) =>
    takeAgentEvent(
      pending,
      createEvent('agent.suggestion.resolved', { suggestion: { ...suggest('pending'), ...change } }),
    );
  const edited = end({ status: 'edited', sentBody: 'We open at ten.' });
  t.notOk(isPending(edited, 'run_1'));
  t.ok(wasSent(edited, 'run_1', 'We open at ten.'));
  t.notOk(wasSent(edited, 'run_1', 'We open at noon.'));
  t.ok(wasSent(end({ status: 'approved' }), 'run_1', 'We open at nine.'));
  t.notOk(wasSent(end({ status: 'discarded' }), 'run_1', 'We open at nine.'));
});

t.test('what an agent asked before it was let go on is over, in whatever order it is read', async t => {
  const at = (minute: number): string => `2026-11-22T10:0${minute}:00Z`;
  const change = (minute: number, agentMode: string, previousAgentMode: string): SkeinEvent =>
    ({
      eventName: 'thread.agent_mode.changed',
      occurredAt: at(minute),
      data: { thread: { agentMode }, previousAgentMode },
    }) as unknown as SkeinEvent;
  const ask = (minute: number): SkeinEvent =>
    ({
      eventName: 'agent.handoff.requested',
      occurredAt: at(minute),
      data: { agentRunId: 'run_1', reason: 'Asks for a person' },
    }) as unknown as SkeinEvent;
  const asking = {
    ...createRun('succeeded'),
    completedAt: at(1),
    trace: { steps: [], handoff: { reason: 'Asks for a person' } },
  } as unknown as AgentRun;
  const asked = [change(1, 'paused', 'auto'), ask(1)].reduce(takeAgentEvent, noActivity);
  t.match(asked, { handoff: { at: at(1) }, pause: { before: 'auto' } });
  const steps = [
    (activity: AgentActivity) => addRuns(activity, [asking]),
    ...[change(1, 'paused', 'auto'), ask(1), change(2, 'auto', 'paused'), change(3, 'paused', 'suggest')].map(
      event => (activity: AgentActivity) => takeModeEvent(activity, event),
    ),
  ];
  fc.assert(
    fc.property(fc.shuffledSubarray(steps, { minLength: steps.length }), shuffled => {
      const { handoff, pause } = shuffled.reduce((activity, step) => step(activity), noActivity);
      return handoff === undefined && pause?.before === 'suggest';
    }),
  );
  const later = [change(2, 'auto', 'paused'), ask(4)].reduce(takeModeEvent, asked);
  t.match(later.handoff, { at: at(4) }, 'a later question stands');
});
