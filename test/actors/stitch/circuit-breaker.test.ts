/** When a stitch stops, and how it comes back. */
import t from 'tap';
import { probeEveryMs } from '../../../actors/stitch/schedule.ts';
import { matchesEventNames } from '../../../protocol/events.ts';
import { down, error, gone, ok, StitchHarness } from './stitch-harness.ts';

const minute = 60_000;
const hour = 60 * minute;

/** A receiver that fails everything until the circuit opens. */
function opened(): StitchHarness {
  const stitch = new StitchHarness('production');
  stitch.emit(Array.from({ length: 40 }, (_, i) => `thread_${i}`));
  stitch.pass(5 * minute, () => down);
  stitch.emit(['thread_late']);
  stitch.pass(10_000, () => down);
  return stitch;
}

t.test('ten failures in a row open the circuit, but not within five minutes', async t => {
  const stitch = new StitchHarness('production');
  stitch.emit(Array.from({ length: 40 }, (_, i) => `thread_${i}`));
  stitch.pass(4 * minute, () => error);
  t.equal(stitch.state.status, 'active');
  t.ok(stitch.state.health.failures > 10);
  stitch.pass(minute + 12_000, () => error);
  t.equal(stitch.state.status, 'error');
  const event = stitch.events.find(({ name }) => name === 'stitch.status.changed');
  t.equal(event?.except, stitch.id, 'other stitches hear of it');
  t.match(JSON.parse(event?.body ?? '{}'), {
    data: { previousStatus: 'active', stitch: { status: 'error' } },
  });
  t.match(stitch.ownerNews, [{ previousStatus: 'active', stitch: { status: 'error' } }]);
});

t.test('after ten failures in a row one delivery is tried at a time, until one succeeds', async t => {
  const stitch = new StitchHarness('production');
  stitch.emit(Array.from({ length: 300 }, (_, i) => `thread_${i}`));
  stitch.pass(0, () => down);
  const first = stitch.attempts.length;
  t.ok(first >= 10 && first <= 30, `${first} of 300 were tried at once`);
  t.ok(stitch.state.queue.waiting.length < 20, 'few of them stay in memory');
  stitch.pass(minute, () => down);
  const later = stitch.attempts.slice(first).map(({ at }) => at);
  t.ok(later.length >= 7 && later.length <= 14, `${later.length} more in the next minute`);
  const gaps = later.slice(1).map((at, i) => at - (later[i] ?? 0));
  t.ok(
    gaps.every(gap => gap >= 800),
    gaps.join(', '),
  );
  t.ok((gaps.at(-1) ?? 0) >= 8_000, 'the longer it lasts, the longer is the pause');
  t.equal(stitch.state.status, 'active');

  stitch.crash();
  stitch.pass(0, () => down);
  t.ok(stitch.attempts.length <= first + later.length + 1, 'a crash does not forget it');

  const restored = stitch.now;
  stitch.pass(12_000, () => ok);
  const delivered = stitch.attempts.filter(({ at }) => at >= restored).length;
  t.ok(delivered >= 260, `${delivered} are delivered when the receiver works again`);
  stitch.pass(2 * minute, () => ok);
  t.equal(stitch.open.length, 0, 'and the rest as its schedule says');
});

t.test('events that always fail hold up others for one pause at most', async t => {
  const stitch = new StitchHarness('production');
  const isBad = ({ threadId }: { readonly threadId: string | null }) => threadId?.startsWith('bad') === true;
  stitch.emit(Array.from({ length: 25 }, (_, i) => `bad_${i}`));
  stitch.pass(minute, delivery => (isBad(delivery) ? error : ok));
  t.equal(stitch.open.length, 25);
  t.not(stitch.state.health.probeAt, null);
  stitch.emit(['good']);
  stitch.pass(12_000, delivery => (isBad(delivery) ? error : ok));
  t.notOk(stitch.open.some(({ threadId }) => threadId === 'good'));
});

t.test('a receiver that refuses events works: nothing is held up', async t => {
  const stitch = new StitchHarness('production');
  stitch.emit(Array.from({ length: 300 }, (_, i) => `thread_${i}`));
  stitch.pass(0, () => ({ status: 404, failure: null }));
  t.equal(stitch.attempts.length, 300);
  stitch.emit(Array.from({ length: 40 }, (_, i) => `later_${i}`));
  stitch.pass(minute, () => down);
  t.not(stitch.state.health.probeAt, null);
  stitch.pass(12_000, ({ attempts }) => (attempts === 0 ? { status: 404, failure: null } : down));
  t.ok(stitch.attempts.length > 340, 'the first refusal ends the pauses, too');
});

t.test('a notification of the owner survives a crash until it is sent', async t => {
  const stitch = new StitchHarness();
  stitch.emit(['thread_1']);
  stitch.settle();
  stitch.answer(1, () => gone);
  stitch.acknowledge();
  t.equal(stitch.committed.status, 'disabled');
  t.equal(stitch.ownerNews.length, 0);
  stitch.crash();
  stitch.settle();
  t.match(stitch.ownerNews, [{ previousStatus: 'active', stitch: { status: 'disabled' } }]);
  const said = stitch.events.find(({ name }) => name === 'stitch.status.changed');
  t.match(JSON.parse(said?.body ?? ''), { eventId: stitch.ownerNews[0]?.eventId });
  t.strictSame(stitch.committed.ownerNotifications, []);
  stitch.crash();
  stitch.settle();
  t.equal(stitch.ownerNews.length, 1);
});

t.test('an open circuit probes once a minute and keeps queueing', async t => {
  const stitch = opened();
  t.equal(stitch.state.status, 'error');
  stitch.emit(Array.from({ length: 50 }, (_, i) => `later_${i}`));
  const before = stitch.attempts.length;
  const start = stitch.now;
  stitch.pass(20 * minute, () => down);
  const probes = stitch.attempts.slice(before);
  t.ok(probes.length >= 19 && probes.length <= 21, `${probes.length} probes in 20 minutes`);
  for (const [index, { at }] of probes.entries()) {
    t.ok(index === 0 || at - (probes[index - 1]?.at ?? 0) >= probeEveryMs);
  }
  t.ok(probes.every(({ at }) => at >= start));
  t.equal(stitch.open.length, 91, 'nothing is given up');
  t.ok(stitch.state.queue.waiting.length < 20, 'and little of it is in memory');

  stitch.pass(2 * minute, () => ok);
  t.equal(stitch.state.status, 'active', 'one success closes it');
  t.match(stitch.state.health, { failures: 0, failingSince: null });
  stitch.pass(hour, () => ok);
  t.equal(stitch.open.length, 0);
  const changes = stitch.events.filter(({ name }) => name === 'stitch.status.changed');
  t.equal(changes.length, 2);
});

t.test('a new address is tried at once', async t => {
  const stitch = opened();
  stitch.pass(10_000);
  t.equal(stitch.out.length, 0);
  stitch.update({ webhookUrl: 'https://elsewhere.example/hook' });
  stitch.settle();
  t.equal(stitch.out.length, 1);
  t.equal(stitch.out[0]?.order.url, 'https://elsewhere.example/hook');
});

t.test('410 disables the stitch and cancels its waiting deliveries', async t => {
  const stitch = new StitchHarness();
  stitch.emit(Array.from({ length: 30 }, (_, i) => `thread_${i}`));
  stitch.settle();
  t.equal(stitch.out.length, 20);
  stitch.answer(1, () => gone);
  stitch.settle();
  t.equal(stitch.state.status, 'disabled');
  const statuses = () => [...stitch.rows.values()].map(({ status }) => status);
  t.equal(statuses().filter(status => status === 'failed').length, 1);
  t.equal(statuses().filter(status => status === 'cancelled').length, 9, 'all that was not out');
  stitch.answer(10, () => ok);
  stitch.answer(10, () => error);
  stitch.settle();
  t.equal(statuses().filter(status => status === 'delivered').length, 10, 'an answer still counts');
  t.equal(statuses().filter(status => status === 'cancelled').length, 19, 'and a failure ends it');
  t.equal(stitch.state.cancelUntil, null);
  t.match(stitch.ownerNews, [{ stitch: { status: 'disabled' } }]);
  t.same(stitch.acts, [
    {
      action: 'stitch.disabled',
      actor: 'system',
      targetId: stitch.id,
      details: { reason: 'gone', previousStatus: 'active' },
    },
  ]);
  stitch.pass(hour, () => ok);
  t.equal(stitch.open.length, 0);
});

t.test('120 hours of failures with two exhausted deliveries disable it', async t => {
  const stitch = new StitchHarness('production');
  const start = stitch.now;
  stitch.emit(Array.from({ length: 5 }, (_, i) => `thread_${i}`));
  for (let hours = 0; hours < 119; hours++) {
    stitch.emit([`another_${hours}`]);
    stitch.pass(hour, () => error);
  }
  t.equal(stitch.state.status, 'error');
  t.ok(stitch.state.health.exhausted >= 2);
  stitch.pass(2 * hour, () => error);
  t.equal(stitch.state.status, 'disabled');
  t.ok(stitch.now - start >= 120 * hour);
  t.equal(stitch.open.length, 0, 'what was open is cancelled');
  t.match(stitch.acts, [{ details: { reason: 'failing', previousStatus: 'error' } }]);
  t.equal(stitch.acts.length, 1, 'an open circuit has none');

  stitch.update({ status: 'active' });
  stitch.settle();
  t.match(stitch.state, { status: 'active', health: { failures: 0 } });
  stitch.emit(['thread_1']);
  stitch.pass(0, () => ok);
  t.equal(stitch.open.length, 0, 'and delivers again');
});

t.test(
  'an exhausted delivery is announced to other stitches, unless its event is about a stitch',
  async t => {
    const stitch = new StitchHarness();
    stitch.emit(['thread_1']);
    stitch.insert({ threadId: null, eventSeq: 100, trigger: 'scheduled' });
    const news = [...stitch.rows.values()].find(({ eventSeq }) => eventSeq === 100);
    Object.assign(news ?? {}, { eventName: 'stitch.delivery.exhausted' });
    stitch.do('wake', {});
    stitch.pass(10 * minute, () => error);
    t.strictSame(
      [...stitch.rows.values()].map(({ status }) => status),
      ['failed', 'failed'],
    );
    const told = stitch.events.filter(({ name }) => name === 'stitch.delivery.exhausted');
    t.equal(told.length, 1);
    t.equal(told[0]?.except, stitch.id);
    t.match(JSON.parse(told[0]?.body ?? '{}'), { data: { delivery: { status: 'failed', attemptCount: 4 } } });
    t.ok(matchesEventNames(['stitch.*'], 'stitch.delivery.exhausted'));
  },
);

t.test('an event that is no longer kept ends its delivery without an attempt', async t => {
  const stitch = new StitchHarness();
  stitch.emit(['thread_1', 'thread_1']);
  stitch.settle();
  stitch.answer(1, () => ({ status: null, failure: 'no_body' }));
  stitch.pass(0, () => ok);
  t.strictSame(
    [...stitch.rows.values()].map(({ status, attempts }) => [status, attempts]),
    [
      ['failed', 0],
      ['delivered', 1],
    ],
  );
  t.equal(stitch.state.health.failures, 0, 'and the receiver is not to blame');
});
