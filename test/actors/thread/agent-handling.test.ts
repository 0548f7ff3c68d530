/** How a thread calls its agent and opens runs, and what ends them. */
import t from 'tap';
import { runCommand } from '../../../actors/run/commands.ts';
import { newId } from '../../../protocol/ids.ts';
import { createIfMissingField } from '../../../actors/thread/commands.ts';
import { threadSnapshot } from '../../../actors/thread/snapshot.ts';
import type { ChannelKind } from '../../../protocol/resources/channel.ts';
import { agentId, createHead, ThreadWithAgent } from './agent-harness.ts';
import { hour, human, key, message, refusal, start, tenancy, ThreadHarness } from './thread-harness.ts';

const getStoredState = (thread: ThreadHarness) =>
  JSON.parse(String(threadSnapshot.values(thread.id, 0, 1, thread.state as never).at(-1))) as object;

t.test('a thread without an agent stores and schedules nothing for one', async t => {
  const thread = new ThreadHarness();
  thread.receive();
  thread.send(human);
  thread.do('assign', { ...tenancy, userId: human.id, author: human });
  t.notOk('desk' in getStoredState(thread));
  t.equal(thread.reminders.size, 0);
  t.equal(thread.told.length + thread.effects.length, 0);
});

t.test(
  'a row without agent handling is read, and one with it comes back as it was, except for who types',
  async t => {
    const thread = new ThreadWithAgent();
    const instants = { created_at: 0, updated_at: 0, last_message_at: 0 };
    const nothing = { archived_at: null, waiting_since: null, snoozed_until: null };
    const row = (state: object) => threadSnapshot.decode({ ...instants, ...nothing, state });
    t.match(row({ channelKind: 'custom', sequence: 1 }), {
      agentHandling: { runs: 0, live: null, waiting: null },
    });
    thread.begun();
    thread.receive();
    thread.do('noteTyping', tenancy);
    t.ok('desk' in getStoredState(thread), 'under the key that rows have always had');
    t.match(row(getStoredState(thread)), { agentHandling: { ...thread.state.agentHandling, typingAt: 0 } });
  },
);

t.test('the agent is called when the participant has been quiet for 1.5 s', async t => {
  const thread = new ThreadWithAgent();
  thread.receive();
  thread.passTo(start + 1_000);
  thread.receive('and');
  thread.passTo(start + 2_499);
  t.equal(thread.call, undefined);
  thread.passTo(start + 2_500);
  const { channelId } = thread;
  const call = { ...tenancy, agentId: null, channelId, liveRunId: null, showsTyping: false };
  t.strictSame(thread.call, call);
});

t.test(
  'the participant can be shown that it writes where the provider shows that, and takes answers',
  async t => {
    const shows = (kind: ChannelKind, windowFrom = start): boolean | undefined => {
      const thread = new ThreadWithAgent('auto', kind);
      const { channelId, defaultAgentId } = thread;
      thread.do('receive', {
        ...tenancy,
        channel: { channelId, kind, defaultAgentId },
        [createIfMissingField]: { externalRef: '15550100', metadata: {} },
        message: message('Hello'),
        windowFrom,
      });
      thread.passTo(start + 1_500);
      return thread.call?.showsTyping;
    };
    t.equal(shows('chatapp'), true);
    t.equal(shows('chatapp', start - 24 * hour), false, 'its window is closed');
    t.equal(shows('sandbox'), false);
  },
);

t.test(
  'what a provider reports of the participant calls no agent, and what they have edited does',
  async t => {
    for (const [event, calls] of [
      ['number_changed', false],
      ['message_deleted', false],
      ['message_edited', true],
    ] as const) {
      const thread = new ThreadWithAgent();
      const { channelId, kind, defaultAgentId } = thread;
      thread.do('receive', {
        ...tenancy,
        channel: { channelId, kind, defaultAgentId },
        [createIfMissingField]: { externalRef: '15550100', metadata: {} },
        message: { ...message('[System message]'), details: { content: { type: 'system', event } } },
      });
      t.equal(thread.reminders.has('agent'), calls, event);
    }
  },
);

t.test('a participant who keeps writing waits 8 s at most', async t => {
  const thread = new ThreadWithAgent();
  for (let at = start; at < start + 8_000; at += 500) {
    thread.passTo(at);
    thread.receive();
    t.equal(thread.call, undefined);
  }
  thread.passTo(start + 8_000);
  t.ok(thread.call);
});

t.test('until a run is opened, the call is repeated', async t => {
  const thread = new ThreadWithAgent();
  thread.receive();
  thread.passTo(start + 21_500);
  t.equal(thread.effects.length, 3);
  t.ok(thread.dispatched());
  t.notOk(thread.reminders.has('agent'));
  thread.passTo(start + 100_000);
  t.equal(thread.effects.length, 4);
});

t.test('a run is opened on the latest message, and told to begin durably', async t => {
  const thread = new ThreadWithAgent();
  const { messageId } = thread.receive();
  const { updatedAt, sequence } = thread.state;
  const opened = thread.dispatched({ author: { type: 'system', id: null } });
  if (opened === null) return void t.fail('no run was opened');
  const { agentRunId, begin } = opened;
  t.match(begin, {
    ...tenancy,
    threadId: thread.id,
    inputMessageId: messageId,
    basedOnSequence: sequence,
    head: { agentId, mode: 'auto' },
  });
  t.match(thread.told, [
    { key: 'begin', at: thread.now, to: { kind: 'run', id: agentRunId }, command: 'begin', payload: begin },
  ]);
  t.equal(agentRunId.slice(-16, -3), thread.id.slice(-16, -3), 'it lives with its thread');
  t.equal(thread.state.updatedAt, updatedAt, 'nothing of the thread itself has changed');
  t.equal(thread.dispatched(), null, 'nobody waits any more');
});

t.test('no agent is called where none may answer', async t => {
  for (const prevent of [
    (thread: ThreadWithAgent) => (thread.defaultAgentId = null),
    (thread: ThreadWithAgent) => (thread.create(), thread.update({ agentMode: 'paused' })),
  ]) {
    const thread = new ThreadWithAgent();
    prevent(thread);
    thread.receive();
    t.equal(thread.reminders.size, 0);
  }
});

t.test('an agent whose own mode is paused answers no message; a request makes it suggest', async t => {
  const thread = new ThreadWithAgent('paused');
  thread.receive();
  t.equal(thread.dispatched(), null);
  t.equal(thread.reminders.size, 0, 'and is called no more');
  t.equal(thread.open()?.begin.head.mode, 'suggest');
});

t.test(
  "the thread's agent has precedence over the channel's; a call of the previous agent opens no run",
  async t => {
    const thread = new ThreadWithAgent();
    thread.receive();
    const other = newId('agent');
    thread.update({ agentId: other });
    t.equal(thread.dispatched(), null);
    t.equal(thread.call?.agentId, other);
    t.ok(thread.dispatched({ head: createHead('auto', other) }));
  },
);

t.test('where no agent can answer, the call is dropped', async t => {
  const thread = new ThreadWithAgent();
  thread.receive();
  thread.do('dropCall', tenancy);
  t.equal(thread.reminders.size, 0);
  t.equal(thread.dispatched(), null);
});

t.test('one run is live: messages wait for its end, requests are refused', async t => {
  const thread = new ThreadWithAgent();
  const agentRunId = thread.begun();
  thread.receive('one more thing');
  t.equal(thread.dispatched(), null);
  t.equal(thread.call?.liveRunId, agentRunId);
  t.strictSame(
    refusal(() => thread.open()),
    { code: 'svc/runtime/conflict', details: { agentRunId } },
  );
  thread.do('runOver', { ...tenancy, agentRunId });
  t.equal(thread.reminders.get('agent')?.at, thread.now, 'then it is its turn at once');
  t.ok(thread.dispatched());
});

t.test('closing, archiving and pausing cancel the run, and supersede the suggestion', async t => {
  for (const changes of [{ status: 'closed' }, { status: 'archived' }, { agentMode: 'paused' }]) {
    const thread = new ThreadWithAgent('suggest');
    const first = thread.suggested();
    const second = thread.open()?.agentRunId ?? '';
    thread.update(changes);
    t.match(thread.toldTo(second, 'cancel'), [{ ...tenancy, by: 'thread' }]);
    t.match(thread.toldTo(first, 'settleSuggestion'), [{ settlement: { status: 'superseded' } }]);
    thread.answer(second);
    t.equal(thread.toldTo(second, runCommand.answerDecided).length, 0, 'one word is the last');
    if (changes.status === undefined) t.equal(thread.open()?.begin.head.mode, 'suggest');
    else t.equal(refusal(() => thread.open()).code, 'svc/runtime/conflict');
  }
});

t.test('a new agent takes over the messages that its predecessor had not answered', async t => {
  const thread = new ThreadWithAgent();
  const agentRunId = thread.begun();
  const other = newId('agent');
  thread.update({ agentId: other });
  t.equal(thread.toldTo(agentRunId, 'cancel').length, 1);
  t.ok(thread.dispatched({ head: createHead('auto', other) }));
  const requested = new ThreadWithAgent();
  requested.create();
  const asked = requested.open({ head: createHead('auto', other) })?.agentRunId ?? '';
  requested.update({ agentId: newId('agent') });
  t.equal(requested.toldTo(asked, 'cancel').length, 0, 'who was asked for answers');
});

t.test('the live run is told that a person has taken over, and of nobody else', async t => {
  const thread = new ThreadWithAgent();
  const told = (agentRunId: string) => thread.toldTo(agentRunId, 'humanTookOver').length;
  const first = thread.begun();
  thread.receive('one more thing');
  thread.send(key);
  thread.do('noteTyping', tenancy);
  t.equal(told(first), 0);
  thread.send(human);
  t.strictSame(thread.toldTo(first, 'humanTookOver'), [tenancy]);
  const second = thread.open({ supersedes: first })?.agentRunId ?? '';
  thread.assign();
  t.equal(told(second), 1);
  thread.assign(null);
  t.equal(told(second), 1, 'not by who leaves');
});

t.test('a run may be asked for where no agent is', async t => {
  const thread = new ThreadWithAgent();
  thread.defaultAgentId = null;
  const { messageId } = thread.receive();
  const opened = thread.open({ inputMessageId: messageId });
  t.equal(opened?.begin.inputMessageId, messageId);
  thread.answer(opened?.agentRunId ?? '');
  t.equal(thread.outbound.length, 1);
  t.strictSame((getStoredState(thread) as { desk?: object }).desk, { runs: 1 });
});

t.test('a budget that stops a run quiets the thread, never the other way', async t => {
  const budget = { scope: 'thread', limitMicros: 1, spentMicros: 2 } as const;
  for (const [mode, fallsTo, expected] of [
    [null, 'suggest', 'suggest'],
    [null, 'paused', 'paused'],
    ['auto', 'paused', 'paused'],
    ['suggest', 'suggest', 'suggest'],
    ['suggest', 'paused', 'paused'],
  ] as const) {
    const thread = new ThreadWithAgent();
    thread.create();
    if (mode !== null) thread.update({ agentMode: mode });
    const agentRunId = thread.begun();
    const seen = thread.events.length;
    thread.do('runOver', { ...tenancy, agentRunId, budget: { ...budget, fallsTo } });
    thread.do('runOver', { ...tenancy, agentRunId, budget: { ...budget, fallsTo: 'paused' } });
    t.equal(thread.state.agentMode, expected);
    t.strictSame(thread.names(seen), mode === expected ? [] : ['thread.agent_mode.changed']);
    t.equal(thread.state.agentHandling.live, null);
  }
});

t.test(
  'a budget does not let an agent go on that does no more by itself: its thread has no mode of its own',
  async t => {
    const budget = { scope: 'run', limitMicros: 1, spentMicros: 2 } as const;
    for (const [began, agentMode, fallsTo, expected] of [
      ['suggest', 'suggest', 'suggest', null],
      ['paused', 'paused', 'suggest', null],
      ['auto', 'paused', 'suggest', null],
      ['paused', 'auto', 'suggest', 'suggest'],
      ['auto', 'suggest', 'paused', 'paused'],
      // As a node of an earlier release says it.
      ['paused', undefined, 'suggest', null],
      ['auto', undefined, 'suggest', 'suggest'],
    ] as const) {
      const thread = new ThreadWithAgent(began);
      thread.receive();
      const agentRunId = thread.open()?.agentRunId ?? '';
      const seen = thread.events.length;
      const mode = agentMode === undefined ? {} : { agentMode };
      thread.do('runOver', { ...tenancy, agentRunId, budget: { ...budget, fallsTo }, ...mode });
      const what = `${began}, ${agentMode}, ${fallsTo}`;
      t.equal(thread.state.agentMode, expected, what);
      t.strictSame(thread.names(seen), expected === null ? [] : ['thread.agent_mode.changed'], what);
      t.equal(thread.state.agentHandling.live, null, what);
    }
  },
);

t.test('erasure ends the run and the suggestion that used the erased messages', async t => {
  const thread = new ThreadWithAgent('suggest');
  const first = thread.suggested();
  const second = thread.open()?.agentRunId ?? '';
  thread.do('erase', { ...tenancy, author: human });
  t.equal(thread.toldTo(second, 'cancel').length, 1);
  t.equal(thread.toldTo(first, 'settleSuggestion').length, 1);
  t.equal(thread.open()?.begin.inputMessageId, null);
});

t.test("another tenant's thread is not there", async t => {
  const thread = new ThreadWithAgent('suggest');
  const agentRunId = thread.suggested();
  const other = { ...tenancy, environmentId: newId('environment') };
  for (const ask of [
    () => thread.open(other),
    () => thread.resolve(agentRunId, other),
    () => thread.do('takeAnswer', { ...other, agentRunId, body: 'x', mode: 'auto' }),
    () => thread.do('runOver', { ...other, agentRunId }),
    () => thread.do('noteTyping', other),
    () => thread.do('dropCall', other),
  ]) {
    t.equal(refusal(ask).code, 'svc/runtime/not_found');
  }
});
