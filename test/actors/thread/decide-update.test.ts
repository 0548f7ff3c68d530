/** A thread that an operator is chosen for: what has happened meanwhile decides. */
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import { human, start, tenancy, ThreadHarness } from './thread-harness.ts';

const userId = newId('user');
const offer = (thread: ThreadHarness) => thread.do('assignAutomatically', { ...tenancy, userId });

function newWaiting(agentId: string | null = null): ThreadHarness {
  const thread = new ThreadHarness();
  thread.defaultAgentId = agentId;
  thread.receive();
  return thread;
}

t.test('a thread that waits takes the operator, and says why', async t => {
  const thread = newWaiting();
  t.equal(offer(thread), true);
  t.match(thread.events.at(-1), {
    eventName: 'thread.assignment.changed',
    data: { actor: { type: 'system' }, reason: 'automatic', previousAssigneeUserId: null },
  });
  t.equal(thread.state.assigneeUserId, userId);
  t.equal(offer(thread), false, 'once');
});

t.test('one that does not wait any more stays as it is', async t => {
  const change = (changes: object) => (thread: ThreadHarness) =>
    thread.do('update', { ...tenancy, changes, author: human });
  const meanwhile: Record<string, (thread: ThreadHarness) => unknown> = {
    answered: thread => thread.send(),
    closed: change({ status: 'closed' }),
    snoozed: change({ snoozedUntil: new Date(start + 60_000).toISOString() }),
    taken: thread => thread.do('assign', { ...tenancy, userId: newId('user'), author: human }),
  };
  for (const [name, happen] of Object.entries(meanwhile)) {
    const thread = newWaiting();
    happen(thread);
    const { state } = thread;
    t.equal(offer(thread), false, name);
    t.equal(thread.state, state, name);
  }
});

t.test('its agent is left alone for two minutes, and is not held back by it', async t => {
  const thread = newWaiting(newId('agent'));
  t.equal(offer(thread), false);
  thread.now = start + 119_999;
  t.equal(offer(thread), false);
  thread.now = start + 120_000;
  t.equal(offer(thread), true);
  t.equal(thread.state.agentHandling.humanAt, 0, 'no human has acted');
});

t.test('the other reasons', async t => {
  const thread = newWaiting();
  const reasons = () => thread.events.at(-1)?.data['reason'];
  thread.do('assign', { ...tenancy, userId, author: human });
  t.equal(reasons(), 'request');
  thread.do('assign', { ...tenancy, userId: null, from: userId, author: human });
  t.equal(reasons(), 'access_lost');
});
