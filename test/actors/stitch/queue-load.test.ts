/** What is asked for again after everything was taken out of memory. */
import t from 'tap';
import { requestLoad } from '../../../actors/stitch/queue-load.ts';
import {
  emptyQueue,
  forgetWaiting,
  getSettledSeq,
  release,
  unload,
  type Delivery,
} from '../../../actors/stitch/queue.ts';

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
    events: { from: 9, check: true, isFirst: false },
    threads: [{ threadId: 'thread_2', from: 7 }],
    rows: { from: 4 },
    before: 9,
  });
  t.equal(getSettledSeq(queue), 6);
  t.end();
});

t.test('a stitch that accepts nothing any more forgets all of it', t => {
  const { request } = requestLoad(forgetWaiting(read), false, 0);
  t.match(request, { events: { from: 20 }, threads: [] });
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
