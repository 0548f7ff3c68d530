/** What a thread decides about the answer of a run. */
import t from 'tap';
import { runCommand } from '../../../actors/run/commands.ts';
import { newId } from '../../../protocol/ids.ts';
import { agentId, createHead, ThreadWithAgent } from './agent-harness.ts';
import { human, refusal, tenancy } from './thread-harness.ts';

t.test('an automatic answer is sent by the agent, once', async t => {
  const thread = new ThreadWithAgent();
  const agentRunId = thread.begun();
  const body = 'the answer';
  thread.answer(agentRunId, body);
  thread.answer(agentRunId, body);
  const messageId = `msg_${agentRunId.slice(4)}`;
  t.match(thread.outbound, [
    { messageId, body, actor: { type: 'agent', id: agentId }, metadata: { agentRunId } },
  ]);
  t.equal(thread.outbound.length, 1);
  t.match(thread.toldTo(agentRunId, runCommand.answerDecided), [{ ...tenancy, outcome: 'sent', messageId }]);
  t.equal(thread.toldTo(agentRunId, runCommand.answerDecided).length, 1);
});

t.test(
  "a human's message after the run was opened supersedes its answer, and waits for no agent",
  async t => {
    const thread = new ThreadWithAgent();
    const agentRunId = thread.begun();
    thread.receive();
    thread.send(human);
    t.notOk(thread.reminders.has('agent'));
    thread.now += 60_000;
    thread.answer(agentRunId);
    t.equal(thread.outbound.length, 1);
    t.match(thread.toldTo(agentRunId, runCommand.answerDecided), [
      { outcome: 'superseded', suggestion: { status: 'superseded', body: 'the answer' } },
    ]);
  },
);

t.test('a human who was active in the last 10 s turns it into a suggestion', async t => {
  for (const [act, before] of [
    [(thread: ThreadWithAgent) => thread.send(human), true],
    [(thread: ThreadWithAgent) => thread.assign(), false],
    [(thread: ThreadWithAgent) => thread.do('noteTyping', tenancy), false],
  ] as const) {
    for (const later of [9_999, 10_000]) {
      const thread = new ThreadWithAgent();
      thread.create();
      if (before) act(thread);
      const active = thread.now;
      const agentRunId = thread.begun();
      if (!before) act(thread);
      thread.now = (before ? active : thread.now) + later;
      thread.answer(agentRunId);
      const isHeld = later < 10_000;
      t.equal(thread.state.agentHandling.suggestion?.reason, isHeld ? 'human_active' : undefined);
      t.equal(
        thread.outbound.some(({ actor }) => actor?.type === 'agent'),
        !isHeld,
      );
    }
  }
});

t.test('an answer that cannot be sent becomes a suggestion with the reason', async t => {
  for (const [spoil, reason, body] of [
    [(thread: ThreadWithAgent) => thread.update({ agentMode: 'suggest' }), 'mode_changed', 'x'],
    [() => undefined, 'too_long', '\u{1f600}'.repeat(16_001)],
    [(thread: ThreadWithAgent) => (thread.now += 24 * 3_600_000), 'not_sendable', 'x'],
  ] as const) {
    const thread = new ThreadWithAgent('auto', 'sandbox');
    const agentRunId = thread.begun();
    spoil(thread);
    thread.answer(agentRunId, body);
    t.equal(thread.outbound.length, 0);
    t.match(thread.toldTo(agentRunId, runCommand.answerDecided), [
      { outcome: 'suggested', suggestion: { status: 'pending', reason, body } },
    ]);
  }
  const thread = new ThreadWithAgent('auto', 'sandbox');
  thread.answer(thread.begun(), '\u{1f600}'.repeat(16_000));
  t.equal(thread.outbound.length, 1, 'code points count');
});

/** What the commit of the answer requires of the agent. */
const getRequired = (thread: ThreadWithAgent) =>
  thread.writes.find(({ statement }) => statement.name === 'agent.require')?.values;

t.test('an agent that was paused, archived or replaced meanwhile sends and suggests nothing', async t => {
  for (const mode of ['auto', 'suggest'] as const) {
    for (const [change, reason] of [
      [(thread: ThreadWithAgent) => (thread.mode = 'paused'), /paused/],
      [(thread: ThreadWithAgent) => (thread.isArchived = true), /archived/],
      [(thread: ThreadWithAgent) => (thread.defaultAgentId = newId('agent')), /another agent/],
    ] as const) {
      const thread = new ThreadWithAgent(mode);
      const agentRunId = thread.begun();
      change(thread);
      thread.answer(agentRunId, 'the answer', { handoff: { reason: 'she is angry' } });
      t.equal(thread.outbound.length, 0);
      t.equal(thread.state.agentHandling.suggestion, null);
      t.not(thread.state.agentMode, 'paused', 'it has asked for nobody');
      t.match(thread.toldTo(agentRunId, runCommand.answerDecided), [{ outcome: 'cancelled', reason }]);
    }
  }
});

t.test('the agent that has replaced it answers instead', async t => {
  const thread = new ThreadWithAgent();
  const agentRunId = thread.begun();
  const other = newId('agent');
  thread.defaultAgentId = other;
  thread.answer(agentRunId);
  t.ok(thread.dispatched({ head: createHead('auto', other) }));
});

t.test("the thread's own mode goes before the agent's here, too", async t => {
  const thread = new ThreadWithAgent();
  thread.create();
  thread.update({ agentMode: 'auto' });
  const agentRunId = thread.begun();
  thread.mode = 'paused';
  thread.answer(agentRunId);
  t.equal(thread.outbound.length, 1);
  const { id: threadId, channelId } = thread;
  t.same(getRequired(thread)?.slice(-4), [agentId, threadId, null, channelId], 'any mode');
});

t.test('a requested run needs no appointment, and suggests where the agent was paused before', async t => {
  const thread = new ThreadWithAgent('paused');
  thread.receive();
  const suggests = thread.open()?.agentRunId ?? '';
  thread.answer(suggests);
  t.match(thread.toldTo(suggests, runCommand.answerDecided), [{ outcome: 'suggested' }]);
  thread.mode = 'auto';
  const sends = thread.open()?.agentRunId ?? '';
  thread.defaultAgentId = newId('agent');
  thread.answer(sends);
  t.equal(thread.outbound.length, 1);
  t.same(getRequired(thread)?.slice(-4), [agentId, thread.id, 'auto', null]);
});

t.test('an answer that a node of an earlier release tells is offered again', async t => {
  const thread = new ThreadWithAgent();
  const agentRunId = thread.begun();
  const { state } = thread;
  thread.answer(agentRunId, 'the answer', { agent: undefined });
  t.equal(thread.state, state);
  t.match(thread.told.at(-1), { to: { kind: 'run', id: agentRunId }, command: 'resume' });
});

t.test('an agent that asks for a human is paused; what it says beside is sent or suggested', async t => {
  const handoff = { reason: 'she is angry' };
  for (const [mode, body] of [
    ['auto', 'a colleague will answer'],
    ['suggest', 'a colleague will answer'],
    ['auto', ''],
  ] as const) {
    const thread = new ThreadWithAgent(mode);
    const agentRunId = thread.begun();
    const seen = thread.events.length;
    thread.answer(agentRunId, body, { handoff });
    t.equal(thread.state.agentMode, 'paused');
    t.strictSame(thread.names(seen).slice(-2), ['thread.agent_mode.changed', 'agent.handoff.requested']);
    t.match(thread.events.at(-1)?.data, { agentRunId, ...handoff });
    t.equal(thread.outbound.length, mode === 'auto' && body !== '' ? 1 : 0);
    t.equal(thread.toldTo(agentRunId, runCommand.answerDecided).length, 1);
    if (mode === 'auto') continue;
    const expectedSequence = thread.state.sequence - 2;
    t.equal(
      thread.resolve(agentRunId, { expectedSequence }).status,
      'approved',
      'the request came with the suggestion',
    );
  }
});

t.test('an answer that is too long for the chat provider waits for a person, who shortens it', async t => {
  const thread = new ThreadWithAgent('auto', 'chatapp');
  const agentRunId = thread.begun();
  const body = '\u{1f600}'.repeat(4_097);
  thread.answer(agentRunId, body);
  t.match(thread.state.agentHandling.suggestion, { agentRunId, reason: 'too_long' });
  t.equal(refusal(() => thread.resolve(agentRunId, { body })).code, 'svc/validation/invalid_request');
  t.equal(thread.resolve(agentRunId, { body, editedBody: 'shorter' }).status, 'edited');
  t.match(thread.outbound, [{ body: 'shorter', status: 'queued' }]);
});
