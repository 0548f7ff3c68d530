import t from 'tap';
import { hour, key, refusal, start, tenancy, ThreadHarness } from './thread-harness.ts';

const opened = 'thread.service_window.opened';
const closing = 'thread.service_window.closing';
const closed = 'thread.service_window.closed';
const windowNames = (thread: ThreadHarness) =>
  thread.names().filter(name => name.startsWith('thread.service_window'));

t.test('the participant who writes opens the window for 24 hours', async t => {
  const thread = new ThreadHarness('sandbox');
  thread.receive();
  t.strictSame(thread.names(), ['thread.lifecycle.created', 'thread.message.received', opened]);
  const serviceWindow = { open: true, expiresAt: new Date(start + 24 * hour).toISOString() };
  t.strictSame(thread.events[2]?.data.serviceWindow, serviceWindow);
  t.match(thread.do('checkSend', tenancy), { allowed: true, reason: null, serviceWindow });
});

t.test('it closes by itself, and says so an hour before and when it does', async t => {
  const thread = new ThreadHarness('sandbox');
  thread.receive();
  thread.passTo(start + 23 * hour - 1);
  t.strictSame(windowNames(thread), [opened]);
  thread.passTo(start + 23 * hour);
  t.strictSame(windowNames(thread), [opened, closing]);
  thread.passTo(start + 24 * hour - 1);
  thread.send();
  thread.passTo(start + 24 * hour);
  t.strictSame(windowNames(thread), [opened, closing, closed]);
  t.strictSame(thread.events.at(-1)?.data.actor, { type: 'system', id: null });
  t.equal(thread.reminders.size, 0);
});

t.test('the end is outside even when the reminder is late, and the events still come in order', async t => {
  const thread = new ThreadHarness('sandbox');
  thread.receive();
  thread.now = start + 24 * hour;
  t.equal(refusal(() => thread.send()).code, 'svc/chatapp/template_required');
  const seen = thread.events.length;
  thread.receive('again');
  t.strictSame(thread.names(seen), [closed, 'thread.message.received', opened]);
  // The reminder of the first window was replaced: nothing happens until the new one is about to end.
  thread.passTo(start + 47 * hour - 1);
  t.equal(windowNames(thread).length, 3);
  thread.passTo(start + 48 * hour);
  t.strictSame(windowNames(thread).slice(3), [closing, closed]);
});

t.test('each inbound message refreshes it, without an event and without a reminder', async t => {
  const thread = new ThreadHarness('sandbox');
  thread.receive();
  const [before] = thread.reminders.values();
  for (let i = 1; i <= 40; i++) {
    thread.now = start + i * hour * 0.5;
    thread.receive(`message ${i}`);
  }
  t.strictSame([...thread.reminders.values()], [before]);
  t.strictSame(windowNames(thread), [opened]);
  thread.passTo(start + 43 * hour);
  t.strictSame(windowNames(thread), [opened, closing]);
  thread.receive('just in time');
  thread.passTo(start + 66 * hour);
  t.strictSame(windowNames(thread), [opened, closing, closing]);
  thread.passTo(start + 67 * hour);
  t.strictSame(windowNames(thread), [opened, closing, closing, closed]);
});

t.test('the sandbox can make it expire, also where it never opened', async t => {
  for (const wrote of [true, false]) {
    const thread = new ThreadHarness('sandbox');
    if (wrote) thread.receive();
    else thread.create();
    const expire = () => thread.do('expireWindow', { ...tenancy, channelId: thread.channelId, author: key });
    expire();
    t.equal(thread.names().at(-1), closed);
    t.equal(thread.reminders.size, 0);
    t.equal(refusal(() => thread.send()).code, 'svc/chatapp/template_required');
    const seen = thread.events.length;
    expire();
    t.equal(thread.events.length, seen, 'what has ended does not end again');
    thread.receive();
    t.equal(thread.names().at(-1), opened);
    thread.send();
  }
});

t.test('a custom channel has no window', async t => {
  const thread = new ThreadHarness('custom');
  thread.receive();
  t.strictSame(windowNames(thread), []);
  t.equal(thread.reminders.size, 0);
  thread.passTo(start + 1000 * hour);
  thread.send();
  t.equal(thread.do('checkSend', tenancy).serviceWindow, null);
  const expire = { ...tenancy, channelId: thread.channelId, author: key };
  t.equal(refusal(() => thread.do('expireWindow', expire)).code, 'svc/runtime/conflict');
});

t.test('a reminder that comes after the window was closed otherwise does nothing', async t => {
  const thread = new ThreadHarness('sandbox');
  thread.receive();
  thread.do('expireWindow', { ...tenancy, channelId: thread.channelId, author: key });
  const { state } = thread;
  thread.do('lookAtWindow', {});
  t.equal(thread.state, state);
});
