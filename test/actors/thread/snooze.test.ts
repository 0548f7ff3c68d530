import t from 'tap';
import type { ThreadCommands } from '../../../actors/thread/commands.ts';
import { hour, human, refusal, start, tenancy, ThreadHarness } from './thread-harness.ts';

type Changes = ThreadCommands['update']['payload']['changes'];

const toInstant = (hours: number) => new Date(start + hours * hour).toISOString();
const patch = (thread: ThreadHarness, changes: Changes) =>
  thread.do('update', { ...tenancy, changes, author: human });
/** What the thread has said of it: the instants before and after, why, and who. */
const told = (thread: ThreadHarness) =>
  thread.events
    .filter(({ eventName }) => eventName === 'thread.snooze.changed')
    .map(({ data }) => [data.previousSnoozedUntil, data.thread?.snoozedUntil, data.reason, data.actor.type]);
const snoozed = [null, toInstant(5), 'request', 'user'];

function newSnoozed(): ThreadHarness {
  const thread = new ThreadHarness();
  thread.create();
  patch(thread, { snoozedUntil: '2026-11-20T18:00:00+01:00' });
  return thread;
}

t.test(
  'a reminder that comes too soon waits on, and one that is not wanted any more does nothing',
  async t => {
    const thread = newSnoozed();
    const before = thread.state;
    thread.reminders.clear();
    thread.do('wake', {});
    t.equal(thread.reminders.get('snooze')?.at, start + 5 * hour);
    t.equal(thread.state, before);
    patch(thread, { snoozedUntil: null });
    thread.do('wake', {});
    t.strictSame(told(thread), [snoozed, [toInstant(5), null, 'request', 'user']]);
  },
);

t.test('the participant wakes it, and so does who closes it', async t => {
  const byMessage = newSnoozed();
  byMessage.send(human);
  t.equal(told(byMessage).length, 1, 'not by an answer');
  byMessage.receive();
  t.strictSame(told(byMessage), [snoozed, [toInstant(5), null, 'message', 'contact']]);
  t.equal(byMessage.reminders.size, 0);
  for (const status of ['closed', 'archived'] as const) {
    const thread = newSnoozed();
    patch(thread, { status });
    t.strictSame(told(thread), [snoozed, [toInstant(5), null, 'status', 'user']], status);
    t.equal(thread.reminders.size, 0);
  }
});

t.test('only an open thread, and only until a year from now', async t => {
  const thread = new ThreadHarness();
  thread.create();
  for (const hours of [-1, 0, 366 * 24 + 1]) {
    const refused = refusal(() => patch(thread, { snoozedUntil: toInstant(hours) }));
    t.match(refused, { details: { issues: [{ path: '/body/snoozedUntil' }] } }, `${hours} hours`);
  }
  patch(thread, { snoozedUntil: toInstant(366 * 24), status: 'open' });
  patch(thread, { status: 'closed' });
  t.equal(refusal(() => patch(thread, { snoozedUntil: toInstant(1) })).code, 'svc/runtime/conflict');
  patch(thread, { status: 'open', snoozedUntil: toInstant(1) });
  t.equal(thread.state.snoozedUntil, toInstant(1), 'opened by the same change');
});
