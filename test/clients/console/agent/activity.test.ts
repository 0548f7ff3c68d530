/** What agents do in a thread, whatever comes first. */
import fc from 'fast-check';
import t from 'tap';
import {
  addRuns,
  addWaitingCalls,
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
const createDelta = (
  delta: string,
  place: { step?: number; offset?: number } = {},
  occurredAt = '2026-11-22T10:00:00Z',
) =>
  ({
    eventName: 'agent.output.delta',
    occurredAt,
    data: { agentRunId: 'run_1', delta, ...place },
  }) as Extract<EphemeralEvent, { eventName: 'agent.output.delta' }>;

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
  t.match(
    activity.writing,
    { agentRunId: 'run_1', text: 'We open' },
    'from a node of an earlier release, too',
  );
  activity = takeAgentEvent(
    activity,
    createEvent('agent.run.succeeded', { agentRun: createRun('succeeded') }),
  );
  t.equal(activity.writing, undefined);
  t.equal(takeDelta(activity, createDelta(' late')).writing, undefined);
});

t.test('pieces of what a model writes stand where they belong', async t => {
  const write = (...pieces: readonly (readonly [delta: string, step: number, offset: number])[]) =>
    pieces.reduce(
      (activity, [delta, step, offset]) => takeDelta(activity, createDelta(delta, { step, offset })),
      noActivity,
    ).writing?.text;
  t.equal(write(['We ', 1, 0], ['open', 1, 3]), 'We open');
  t.equal(write(['We ', 1, 0], ['at nine', 1, 8]), 'We …at nine', 'one was missed');
  t.equal(write(['at ', 1, 8], ['nine', 1, 11]), '…at nine', 'whoever comes late has missed the beginning');
  t.equal(write(['We ', 1, 0], ['op', 1, 3], ['Our', 1, 0], ['s', 1, 3]), 'Ours', 'the step is asked again');
  t.equal(
    write(['We ', 1, 0], ['open', 1, 3], ['nine', 1, 3]),
    '…nine',
    'asked again, and the beginning was missed',
  );
  t.equal(write(['Let me see.', 1, 0], ['We ', 2, 0], ['open', 2, 3]), 'We open', 'the next step');
  t.equal(write(['Let me see.', 1, 0], ['We ', 2, 0], ['late', 1, 11]), 'We ', 'not the one before');
  t.equal(write(['Let me see.', 1, 0], ['', 1, 11]), undefined, 'a tool is at work');
  t.equal(write(['Let me see.', 1, 0], ['', 1, 11], ['We ', 2, 0]), 'We ');
});

t.test('what stands before a tool is not being written while it works or waits', async t => {
  const written = takeDelta(noActivity, createDelta('Let me see.'));
  const call = { callId: 'call_1', expiresAt: '2026-11-22T11:00:00Z' };
  for (const name of [
    'agent.tool.approval_requested',
    'agent.tool.completed',
    'agent.tool.failed',
  ] as const) {
    t.equal(takeAgentEvent(written, createEvent(name, call)).writing, undefined, name);
    const next = takeDelta(written, createDelta('We ', { step: 2, offset: 0 }, '2026-11-22T10:00:02Z'));
    t.equal(takeAgentEvent(next, createEvent(name, call)).writing?.text, 'We ', `${name}, which comes late`);
    const other = takeAgentEvent(written, createEvent(name, { ...call, agentRunId: 'run_2' }));
    t.equal(other.writing?.text, 'Let me see.', `${name} of another run`);
  }
});

t.test('a run that was read before an event has said which calls wait does not say it', async t => {
  const read = (status: string, updatedAt: string) => (activity: AgentActivity) =>
    addWaitingCalls(activity, {
      ...createRun('running'),
      updatedAt,
      trace: { steps: [{ toolCalls: [{ callId: 'call_1', name: 'refund', arguments: {}, status }] }] },
    } as unknown as AgentRun);
  const event = (name: SkeinEvent['eventName']) => (activity: AgentActivity) =>
    takeAgentEvent(activity, createEvent(name, { callId: 'call_1', expiresAt: '2026-11-22T11:00:00Z' }));
  const listCalls = (...steps: readonly ((activity: AgentActivity) => AgentActivity)[]) =>
    steps.reduce((activity, step) => step(activity), noActivity).waitingCalls.map(({ name }) => name);
  const requested = event('agent.tool.approval_requested');
  const resolved = event('agent.tool.approval_resolved');
  const [before, then] = ['2026-11-22T10:00:00Z', '2026-11-22T10:00:01Z'];
  t.strictSame(listCalls(read('pending', before), requested), [undefined]);
  t.strictSame(listCalls(requested, read('pending', before)), [undefined], 'it waits all the same');
  t.strictSame(listCalls(requested, read('awaiting_approval', then)), ['refund']);
  t.strictSame(listCalls(read('awaiting_approval', before), resolved), []);
  t.strictSame(listCalls(resolved, read('awaiting_approval', before)), [], 'it waits no more');
  t.strictSame(listCalls(requested, read('pending', then)), [], 'it was read after that');
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
  const change = (minute: number, agentMode: string, previousAgentMode: string | null): SkeinEvent =>
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
  const plain = takeModeEvent(noActivity, change(1, 'paused', null));
  t.match(plain, { pause: { before: null } }, 'the mode of the agent counted');
  const later = [change(2, 'auto', 'paused'), ask(4)].reduce(takeModeEvent, asked);
  t.match(later.handoff, { at: at(4) }, 'a later question stands');
});
