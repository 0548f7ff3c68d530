/** A suggestion is resolved once, by whatever comes first. */
import t from 'tap';
import { runCommand } from '../../../actors/run/commands.ts';
import { newId } from '../../../protocol/ids.ts';
import { ThreadWithAgent } from './agent-harness.ts';
import { hour, human, key, refusal, tenancy } from './thread-harness.ts';

const iso = (at: number) => new Date(at).toISOString();

t.test("an approved suggestion is sent in the approver's name, and the run is notified", async t => {
  for (const author of [human, key]) {
    const thread = new ThreadWithAgent('suggest');
    const agentRunId = thread.suggested();
    const resolved = thread.resolve(agentRunId, { author });
    const messageId = `msg_${agentRunId.slice(4)}`;
    const resolvedByUserId = author === human ? human.id : null;
    t.match(resolved, { status: 'approved', body: 'the answer', messageId, resolvedByUserId });
    t.match(thread.outbound, [{ messageId, body: 'the answer', actor: author, metadata: { agentRunId } }]);
    t.match(thread.toldTo(agentRunId, 'settleSuggestion'), [
      { ...tenancy, settlement: { status: 'approved', messageId } },
    ]);
    t.strictSame(thread.names().slice(-3), [
      'thread.message.created',
      'channel.message.requested',
      'agent.suggestion.resolved',
    ]);
    t.equal(refusal(() => thread.resolve(agentRunId)).code, 'svc/agent_runs/suggestion_already_resolved');
    t.equal(
      refusal(() => thread.resolve(agentRunId, { action: 'discard' })).code,
      'svc/agent_runs/suggestion_already_resolved',
    );
    t.equal(thread.outbound.length, 1);
  }
});

t.test('a discarded one sends nothing', async t => {
  const thread = new ThreadWithAgent('suggest');
  const agentRunId = thread.suggested();
  const discarded = thread.resolve(agentRunId, { action: 'discard', reason: 'out of date' });
  t.match(discarded, { status: 'discarded', discardReason: 'out of date' });
  t.match(thread.toldTo(agentRunId, 'settleSuggestion'), [{ settlement: { discardReason: 'out of date' } }]);
  t.equal(thread.outbound.length, 0);
});

t.test('approval is refused after newer messages; the suggestion itself does not count as one', async t => {
  const thread = new ThreadWithAgent('suggest');
  thread.receive();
  const seen = thread.state.sequence;
  const note = { threadNoteId: newId('note'), authorUserId: String(human.id), body: 'hm', author: human };
  const agentRunId = thread.suggested();
  t.equal(refusal(() => thread.resolve(agentRunId, { expectedSequence: seen })).code, 'svc/runtime/conflict');
  const fresh = thread.state.sequence;
  thread.do('addNote', { ...tenancy, ...note });
  for (const expectedSequence of [fresh - 1, fresh, fresh + 2]) {
    t.strictSame(
      refusal(() => thread.resolve(agentRunId, { expectedSequence })),
      {
        code: 'svc/runtime/conflict',
        details: { sequence: fresh + 1 },
      },
    );
  }
  t.equal(thread.resolve(agentRunId, { expectedSequence: fresh + 1 }).status, 'approved');
  const next = thread.suggested();
  t.equal(thread.resolve(next, { expectedSequence: thread.state.sequence - 1 }).status, 'approved');
});

t.test('a newer message supersedes a pending suggestion, whoever writes it', async t => {
  for (const [write, actor] of [
    [(thread: ThreadWithAgent) => thread.receive(), 'contact'],
    [(thread: ThreadWithAgent) => thread.send(human), 'user'],
    [(thread: ThreadWithAgent) => thread.send(key), 'api_key'],
  ] as const) {
    const thread = new ThreadWithAgent('suggest');
    const agentRunId = thread.suggested();
    write(thread);
    t.match(thread.events.at(-1), {
      eventName: 'agent.suggestion.superseded',
      data: {
        agentRunId,
        suggestion: { status: 'superseded', resolvedAt: iso(thread.now) },
        actor: { type: actor },
      },
    });
    t.match(thread.toldTo(agentRunId, 'settleSuggestion'), [{ settlement: { status: 'superseded' } }]);
    t.equal(refusal(() => thread.resolve(agentRunId)).code, 'svc/agent_runs/suggestion_already_resolved');
  }
});

t.test(
  'a newer suggestion supersedes it, too; a suggestion that a message has overtaken is superseded at once',
  async t => {
    const thread = new ThreadWithAgent('suggest');
    const first = thread.suggested();
    const second = thread.open()?.agentRunId ?? '';
    thread.answer(second);
    t.match(thread.toldTo(first, 'settleSuggestion'), [{ settlement: { status: 'superseded' } }]);
    const third = thread.begun();
    thread.receive('one more thing');
    thread.answer(third);
    t.match(thread.toldTo(third, runCommand.answerDecided), [{ outcome: 'superseded' }]);
  },
);

t.test('a day after it was made it expires, and cannot be resolved any more', async t => {
  const thread = new ThreadWithAgent('suggest');
  const agentRunId = thread.suggested();
  const made = thread.now;
  thread.passTo(made + 24 * hour - 1);
  t.ok(thread.state.agentHandling.suggestion);
  thread.passTo(made + 24 * hour);
  const settled = { status: 'expired', resolvedAt: iso(thread.now), resolvedByUserId: null };
  t.match(thread.events.at(-1), {
    eventName: 'agent.suggestion.expired',
    data: { agentRunId, suggestion: settled, actor: { type: 'system' } },
  });
  t.match(thread.toldTo(agentRunId, 'settleSuggestion'), [{ ...tenancy, settlement: settled }]);
  t.equal(refusal(() => thread.resolve(agentRunId)).code, 'svc/agent_runs/suggestion_already_resolved');
});

t.test('after a day it is refused, even where its reminder has not come yet', async t => {
  const thread = new ThreadWithAgent('suggest');
  const agentRunId = thread.suggested();
  thread.now += 24 * hour;
  for (const action of ['approve', 'discard'] as const) {
    const { code } = refusal(() => thread.resolve(agentRunId, { action }));
    t.equal(code, 'svc/agent_runs/suggestion_already_resolved');
  }
  t.equal(thread.outbound.length, 0);
  thread.passTo(thread.now);
  t.equal(thread.events.at(-1)?.eventName, 'agent.suggestion.expired');
});

t.test('one that has no reminder, of a node of 0.1, gets it with the next change of the thread', async t => {
  const change = (thread: ThreadWithAgent) => thread.update({ tags: ['vip'] });
  for (const touch of [change, (thread: ThreadWithAgent) => thread.assign()]) {
    const thread = new ThreadWithAgent('suggest');
    thread.suggested();
    thread.reminders.delete('suggestion');
    thread.passTo(thread.now + 30 * hour);
    touch(thread);
    t.ok(thread.state.agentHandling.suggestion);
    thread.passTo(thread.now);
    t.equal(thread.events.at(-1)?.eventName, 'agent.suggestion.expired');
  }
});

t.test('only the suggestion that is a day old expires', async t => {
  const thread = new ThreadWithAgent('suggest');
  const first = thread.suggested();
  thread.passTo(thread.now + 20 * hour);
  thread.resolve(first);
  t.notOk(thread.reminders.has('suggestion'));
  const second = thread.suggested();
  thread.passTo(thread.now + 20 * hour);
  t.equal(thread.state.agentHandling.suggestion?.agentRunId, second);
  thread.do('expireSuggestion', { agentRunId: first });
  thread.reminders.delete('suggestion');
  thread.do('expireSuggestion', { agentRunId: second });
  t.ok(thread.reminders.has('suggestion'), 'too early, by a clock that was set back');
  t.equal(thread.state.agentHandling.suggestion?.agentRunId, second);
});
