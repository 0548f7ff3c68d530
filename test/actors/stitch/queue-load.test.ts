/** What is asked for again after everything was taken out of memory. */
import t from 'tap';
import { isHeldBack } from '../../../actors/stitch/holds.ts';
import {
  acceptLoad,
  type LoadedPage,
  type LoadRequest,
  maxHeads,
  maxHeld,
  maxSkipped,
  requestLoad,
} from '../../../actors/stitch/queue-load.ts';
import {
  acknowledge,
  countInState,
  dropEndedHolds,
  emptyQueue,
  getInFlightIds,
  getNextHoldEnd,
  getSettledSeq,
  release,
  start,
  unload,
  type Delivery,
} from '../../../actors/stitch/queue.ts';
import { maxInFlight } from '../../../actors/stitch/window.ts';

function createDelivery(eventSeq: number, threadId: string | null, hasRow = false): Delivery {
  const at = '2026-11-20T12:00:00.000Z';
  return {
    deliveryId: `whd_${eventSeq}`,
    createdAt: at,
    eventId: `evt_${eventSeq}`,
    eventSeq,
    eventName: 'thread.status.changed',
    eventAt: at,
    threadId,
    trigger: hasRow ? 'replay' : 'scheduled',
    attempts: 0,
    firstAttemptAt: null,
    hasRow,
  };
}

const read = {
  ...emptyQueue,
  next: 20,
  checkBelow: 3,
  nextRow: 30,
  mayHaveEvents: false,
  mayHaveRows: false,
  mayHaveOldRows: false,
  mayHaveDue: false,
  needsHolds: false,
  waiting: [
    createDelivery(4, 'thread_1', true),
    createDelivery(7, 'thread_2'),
    createDelivery(9, null),
    createDelivery(12, 'thread_2'),
  ],
};

t.test('an open circuit: each sort where it is found, and nothing that has a row by now', t => {
  const { queue, request } = requestLoad(unload(read), false, 0);
  t.match(request, {
    events: { from: 9, check: true, isFirst: false, newest: 0 },
    threads: [{ threadId: 'thread_2', from: 7 }],
    rows: { from: 4 },
    before: 9,
  });
  t.equal(getSettledSeq(queue), 6);
  t.end();
});

t.test(
  'the first attempt of another owner, whose clock was behind, does not end the hold of its head',
  async t => {
    const now = 1_000_000;
    const held = new Map([['thread_1', { seq: 7, until: now + 1_000 }]]);
    const result = {
      deliveryId: 'whd_7',
      threadId: 'thread_1',
      eventSeq: 7,
      retryAt: now + 10,
      holdUntil: null,
    };
    t.ok(release({ ...read, held }, [{ ...result, attempts: 1 }], now).held.has('thread_1'));
    t.notOk(
      release({ ...read, held }, [{ ...result, attempts: 1 }], now + 1_000).held.has('thread_1'),
      'it ends in time',
    );
    t.notOk(
      release({ ...read, held }, [{ ...result, attempts: null }], now).held.has('thread_1'),
      'or when that is settled',
    );
  },
);

t.test('what was sent elsewhere and has a result by now is not sent a second time', t => {
  const waiting = [createDelivery(7, 'thread_1'), createDelivery(8, 'thread_1')];
  const result = { deliveryId: 'whd_7', threadId: 'thread_1', eventSeq: 7, retryAt: null, holdUntil: null };
  const listWaiting = (attempts: number | null, known = waiting): number[] =>
    release({ ...read, waiting: known }, [{ ...result, attempts }], 0).waiting.map(each => each.eventSeq);
  t.strictSame(listWaiting(null), [8], 'it is settled');
  t.strictSame(listWaiting(1), [8], 'it is tried again later');
  const again = waiting.map(each => ({ ...each, attempts: each.eventSeq === 7 ? 1 : 0 }));
  t.strictSame(listWaiting(1, again), [7, 8], 'this is its retry');
  t.end();
});

t.test('a replay that fails does not end the wait for a later event that failed before', t => {
  const now = 1_000_000;
  const fail = (seq: number, until: number) => ({
    deliveryId: `whd_${seq}`,
    threadId: 'thread_1',
    eventSeq: seq,
    attempts: 1,
    retryAt: until,
    holdUntil: until,
  });
  const settle = (seq: number) => ({ ...fail(seq, 0), attempts: null, retryAt: null, holdUntil: null });
  const isHeld = ({ held }: typeof read, seq: number, at = now): boolean =>
    isHeldBack(held.get('thread_1'), seq, at);
  const both = release(release(read, [fail(7, now + 100)], now), [fail(3, now + 200)], now) as typeof read;
  t.ok(isHeld(both, 4), 'the replay comes before all that is later');
  const replayed = release(both, [settle(3)], now) as typeof read;
  t.notOk(isHeld(replayed, 7), 'the head itself may be tried again');
  t.ok(isHeld(replayed, 8), 'and what comes after it waits');
  t.ok(replayed.mayHaveDue, 'its retry is looked for: it may have come while the replay held it');
  t.notOk(isHeld(release(replayed, [settle(7)], now) as typeof read, 8));
  const first = release(both, [settle(7)], now) as typeof read;
  t.ok(isHeld(first, 4), 'whichever ends first, the other one counts');
  t.equal(getNextHoldEnd(both), now + 100);
  const later = dropEndedHolds(both, now + 100) as typeof read;
  t.ok(isHeld(later, 8, now + 100));
  t.notOk(dropEndedHolds(later, now + 200).held.has('thread_1'));
  t.end();
});

t.test(
  'a page that was asked for before the stitch was loaded again is not taken, though in the same millisecond',
  async t => {
    const now = 1_000_000;
    const before = requestLoad({ ...read, next: 50, waiting: [], mayHaveEvents: true }, false, now);
    const after = requestLoad({ ...emptyQueue, next: 4 }, false, now);
    if (before.request === undefined || after.request === undefined) throw new Error('nothing is asked for');
    const page: LoadedPage = {
      events: { deliveries: [createDelivery(50, 'thread_1')], end: 51, more: false },
      threads: [],
      rows: null,
      hasOldRows: false,
      due: [],
      moreDue: false,
      holds: [],
    };
    t.equal(acceptLoad(after.queue, before.request, page, now), after.queue);
    t.equal(acceptLoad(after.queue, after.request, page, now).next, 51);
  },
);

t.test('a thread that is held while its next page is read loses nothing of the page before', async t => {
  const now = 1_000_000;
  const until = now + 60_000;
  const result = { threadId: 'thread_1', retryAt: null, holdUntil: null, attempts: null };
  const settled = (eventSeq: number) => ({ ...result, deliveryId: `whd_${eventSeq}`, eventSeq });
  const createPage = (from: number): LoadedPage => ({
    events: null,
    threads: [
      {
        threadId: 'thread_1',
        deliveries: Array.from({ length: 16 }, (_, n) => createDelivery(from + n, 'thread_1')),
        next: from + 16,
      },
    ],
    rows: null,
    hasOldRows: false,
    due: [],
    moreDue: false,
    holds: [],
  });
  const load = (queue: typeof emptyQueue, at = now) => {
    const { request, queue: asking } = requestLoad(queue, false, at);
    if (request === undefined) throw new Error('nothing is asked for');
    return { request, asking };
  };

  // Of the thread 3 has just been sent, and all that follows is to be read by itself.
  const skipping = { ...read, next: 200, waiting: [], skipped: new Map([['thread_1', 4]]) };
  const sent = start({ ...skipping, waiting: [createDelivery(3, 'thread_1')] }, 1, now).queue;
  const first = load(sent);
  t.strictSame(first.request.threads, [{ threadId: 'thread_1', from: 4 }]);
  const answered = release(first.asking, [settled(3)], now);
  const loaded = acceptLoad(answered, first.request, createPage(4), now);
  t.equal(getSettledSeq(loaded), 3);
  t.strictSame([...loaded.ready], [], 'it is not read on while its page waits');

  // And where it is: 4 fails, and the page of those that follow comes after that.
  const second = load({ ...loaded, ready: new Set(['thread_1']) });
  t.strictSame(second.request.threads, [{ threadId: 'thread_1', from: 20 }]);
  const failing = start(second.asking, 1, now).queue;
  const failed = release(failing, [{ ...settled(4), attempts: 1, retryAt: until, holdUntil: until }], now);
  const late = acceptLoad(failed, second.request, createPage(20), now);
  t.equal(getSettledSeq(late), 4, '5 to 19 are still to be delivered');
  t.strictSame(late.waiting, []);
  const third = load(dropEndedHolds(late, until), until);
  t.strictSame(third.request.threads, [{ threadId: 'thread_1', from: 5 }], 'when it is no longer held');
});

/** A stitch that may have everything of every sort, each of another thread, and whose receiver refuses all of it. */
class Refused {
  readonly #now = 1_000_000;
  readonly #until = this.#now + 60_000;
  #event = 100_000;
  #row = 10_000;
  queue = {
    ...read,
    next: this.#event,
    waiting: [] as readonly Delivery[],
    skipped: new Map(Array.from({ length: 5_000 }, (_, n) => [`skipped_${n}`, n + 1])),
    ready: new Set(Array.from({ length: 5_000 }, (_, n) => `skipped_${n}`)),
    window: { size: maxInFlight, halvedAt: 0 },
  };

  get held(): number {
    return this.queue.held.size;
  }

  /** Whether anything was asked for. */
  load(): boolean {
    const asked = requestLoad({ ...this.queue, mayHaveEvents: true, mayHaveRows: true }, false, this.#now);
    if (asked.request === undefined) return false;
    this.queue = acceptLoad(
      asked.queue,
      asked.request,
      this.#read(asked.request),
      this.#now,
    ) as typeof this.queue;
    return true;
  }

  #read({ events, rows, threads }: LoadRequest): LoadedPage {
    const list = (count: number, from: number, hasRow: boolean): Delivery[] =>
      Array.from({ length: count }, (_, n) => createDelivery(from + n, `thread_${from + n}`, hasRow));
    const found = list(events?.limit ?? 0, this.#event, false);
    this.#event += found.length;
    const waiting = list(rows?.limit ?? 0, this.#row, true);
    this.#row += waiting.length;
    return {
      events: events && { deliveries: found, end: this.#event, more: true },
      threads: threads.map(({ threadId, from }) => ({
        threadId,
        deliveries: [createDelivery(from, threadId)],
        next: null,
      })),
      rows: rows && { deliveries: waiting, end: this.#row, more: true },
      hasOldRows: false,
      due: [],
      moreDue: false,
      holds: [],
    };
  }

  start(): number {
    const { queue, deliveries } = start(
      this.queue,
      maxInFlight - countInState(this.queue, 'inFlight'),
      this.#now,
    );
    this.queue = queue as typeof this.queue;
    return deliveries.length;
  }

  answer(): void {
    this.queue = acknowledge(this.queue, getInFlightIds(this.queue)) as typeof this.queue;
  }

  /** The first of those that have begun fail, and hold their threads. */
  fail(count: number): void {
    const failed = [...this.queue.started.values()].slice(0, count).map(({ delivery }) => ({
      deliveryId: delivery.deliveryId,
      threadId: delivery.threadId,
      eventSeq: delivery.eventSeq,
      attempts: 1,
      retryAt: this.#until,
      holdUntil: this.#until,
    }));
    this.queue = release(this.queue, failed, this.#now) as typeof this.queue;
  }
}

t.test('no more threads are held than whoever takes the stitch over asks for', t => {
  const stitch = new Refused();
  while (stitch.held < maxHeld - 1) {
    stitch.load();
    stitch.start();
    stitch.fail(maxHeld - 1 - stitch.held);
  }
  // One less, and all that may be loaded, answered and in flight is.
  while (stitch.load() || stitch.start() > 0) stitch.answer();
  stitch.start();
  stitch.load();
  t.equal(stitch.held, maxHeld - 1);
  for (let begun = stitch.queue.started.size; begun > 0; begun = stitch.queue.started.size) {
    stitch.fail(begun);
    stitch.load();
    stitch.start();
  }
  t.ok(stitch.held > 2 * maxHeld, `${stitch.held} are held`);
  t.ok(stitch.held <= maxHeads);
  t.notOk(stitch.load(), 'and nothing more is loaded');
  t.end();
});

t.test('with many threads behind nothing is read that would leave more behind', t => {
  const now = 1_000_000;
  const list = (count: number): ReadonlyMap<string, number> =>
    new Map(Array.from({ length: count }, (_, n) => [`thread_${n}`, n + 1]));
  const more = { ...read, waiting: [], next: 100_000, mayHaveEvents: true, mayHaveRows: true };
  const ask = (skipped: number, skippedRows: number, mayHaveOldRows = false): LoadRequest | undefined => {
    const behind = list(skipped);
    const queue = { ...more, mayHaveOldRows, skipped: behind, ready: new Set(behind.keys()) };
    return requestLoad({ ...queue, skippedRows: list(skippedRows) }, false, now).request;
  };
  t.match(ask(maxSkipped - 1, maxSkipped - 1), { events: { from: 100_000 }, rows: { from: 30 } });
  const log = ask(maxSkipped, 0);
  t.match(log, { events: null, rows: { from: 30 } });
  t.ok((log?.threads.length ?? 0) > 0, 'they are read by themselves');
  t.match(ask(0, maxSkipped), { events: { from: 100_000 }, rows: null });
  const old = ask(0, maxSkipped, true);
  t.match(
    old,
    { events: { from: 100_000 }, rows: { from: 30 } },
    'old rows, before which nothing else is read',
  );
  t.ok(maxSkipped > maxHeads, 'heads alone keep nothing back');
  t.end();
});
