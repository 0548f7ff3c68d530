import fc from '../../support/fuzz.ts';
import type { Test } from 'tap';
import { ServiceError } from '../../../protocol/errors.ts';
import type { Message } from '../../../protocol/resources/message.ts';
import { advances } from '../../../actors/thread/decide-receipts.ts';
import { hour, human, key, tenancy, ThreadHarness } from './thread-harness.ts';

const receiptStatuses = ['sent', 'delivered', 'read', 'failed'] as const;
const threadStatuses = ['open', 'closed', 'archived'] as const;

const step = fc.oneof(
  { weight: 1, arbitrary: fc.record({ do: fc.constant('create' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('receive' as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('send' as const), byHuman: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('move' as const), to: fc.constantFrom(...threadStatuses) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('report' as const),
      message: fc.nat(30),
      statuses: fc.array(fc.constantFrom(...receiptStatuses), { minLength: 1, maxLength: 3 }),
      /** How many steps ago the message was read. */
      age: fc.nat(30),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('pass' as const), hours: fc.integer({ min: 0, max: 30 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('snooze' as const), hours: fc.integer({ min: -1, max: 40 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('expire' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('sendMany' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('deliverMany' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** What clients may know of the messages at one instant: their rows, and the thread's sequence. */
interface Reading {
  readonly asOf: number;
  readonly rows: ReadonlyMap<string, Message>;
}

class ObservedThread {
  readonly thread: ThreadHarness;
  readonly sent: Message[] = [];
  readonly readings: Reading[] = [];

  constructor(kind: 'custom' | 'sandbox') {
    this.thread = new ThreadHarness(kind);
    this.read();
  }

  read(): void {
    const rows = new Map(
      this.sent.map(message => [
        message.messageId,
        { ...message, ...(this.thread.row(message.messageId) as Partial<Message>) },
      ]),
    );
    this.readings.push({ asOf: this.thread.state.sequence, rows });
  }

  take(step: Step): void {
    const { thread } = this;
    switch (step.do) {
      case 'create':
        thread.create();
        return;
      case 'receive':
        thread.receive();
        return;
      case 'send':
        this.sent.push(thread.send(step.byHuman ? human : key));
        return;
      case 'move':
        thread.do('update', { ...tenancy, changes: { status: step.to }, author: human });
        return;
      case 'report':
        this.report(step);
        return;
      case 'pass':
        thread.passTo(thread.now + step.hours * hour);
        return;
      case 'snooze': {
        const snoozedUntil = new Date(thread.now + step.hours * hour).toISOString();
        thread.do('update', { ...tenancy, changes: { snoozedUntil }, author: human });
        return;
      }
      case 'expire':
        thread.do('expireWindow', { ...tenancy, channelId: thread.channelId, author: key });
        return;
      case 'sendMany':
        for (let i = 0; i < 10; i++) this.sent.push(thread.send(human));
        return;
      case 'deliverMany':
        this.deliverMany();
        return;
    }
  }

  /** More than the thread remembers. */
  deliverMany(): void {
    for (let index = 0; index < this.sent.length && index < 12; index++) {
      this.report({ do: 'report', message: index, statuses: ['delivered'], age: 0 });
      this.read();
    }
  }

  report({ message: index, statuses, age }: Extract<Step, { do: 'report' }>): void {
    const known = this.sent[index % Math.max(1, this.sent.length)];
    if (known === undefined) return;
    const reading = this.readings.at(-1 - age);
    // Nobody can have read a message before it was committed.
    const message = reading?.rows.get(known.messageId);
    if (reading === undefined || message === undefined) return;
    this.thread.do('recordReceipts', {
      ...tenancy,
      reading: { message, asOf: reading.asOf },
      receipts: statuses.map(status => ({ status, occurredAt: '2026-11-20T12:00:00.000Z' })),
      unpark: [],
      author: key,
    });
  }
}

/** The invariants that hold after every step. */
function check({ thread }: ObservedThread, before: { state: object; events: number }): void {
  const { events, state } = thread;
  events.forEach((event, index) => {
    if (event.data.sequence !== index + 1) throw new Error('the sequence has a gap');
  });
  if (state.sequence !== events.length) throw new Error('the state counts other events than there are');
  const changed = state !== before.state;
  if (changed !== events.length > before.events) throw new Error('a change without an event, or the reverse');
}

/** A thread is snoozed while it is open, until its time comes, or its participant writes. */
function checkSnooze({ thread: { events, reminders, state, now } }: ObservedThread): void {
  const { snoozedUntil } = state;
  if (
    snoozedUntil !==
    (reminders.has('snooze') ? new Date(reminders.get('snooze')?.at ?? 0).toISOString() : null)
  )
    throw new Error('snoozed without a reminder, or the reverse');
  if (snoozedUntil === null) return;
  if (state.status !== 'open' || Date.parse(snoozedUntil) <= now) throw new Error('snoozed for too long');
  const last = events.findLast(({ eventName }) =>
    ['thread.snooze.changed', 'thread.message.received'].includes(eventName),
  );
  if (last?.data.thread?.snoozedUntil !== snoozedUntil) throw new Error('the participant has written since');
}

/** What lists show of the thread, as its events tell it. */
function checkRow({ thread: { events, state } }: ObservedThread): void {
  const row = { last: '', inbound: 0, waitingSince: null as string | null, failed: 0, failedAt: 0 };
  for (const { eventName, occurredAt, data } of events) {
    const { message, sequence } = data;
    if (eventName === 'thread.message.received') {
      row.inbound++;
      row.waitingSince ??= occurredAt;
    }
    if (eventName === 'thread.message.created') row.waitingSince = null;
    if (eventName.startsWith('thread.message.')) row.last = message?.messageId ?? '';
    if (eventName === 'thread.status.changed' && data.thread?.status !== 'open') {
      row.waitingSince = null;
      row.failed = 0;
    }
    if (eventName === 'channel.message.delivery_failed') {
      row.failed++;
      row.failedAt = sequence;
    } else if (eventName.startsWith('channel.message.') && eventName !== 'channel.message.requested') {
      if ((message?.sequence ?? 0) > row.failedAt) row.failed = 0;
    }
  }
  const { preview, inboundCount, waitingSince, failedSends } = state;
  const kept = [preview?.messageId ?? '', inboundCount, waitingSince, failedSends?.count ?? 0];
  const told = [row.last, row.inbound, row.waitingSince, row.failed];
  if (kept.join() !== told.join())
    throw new Error(`the row has ${kept.join()}, its events tell ${told.join()}`);
}

/** The invariants of a whole history. */
function checkHistory({ thread, sent }: ObservedThread): void {
  const statuses = new Map<string, string>();
  let status = 'open';
  let window: string | undefined;
  for (const { eventName, data } of thread.events) {
    const { message } = data;
    if (eventName === 'thread.message.created' && message !== undefined)
      statuses.set(message.messageId, 'queued');
    if (eventName.startsWith('channel.message.') && eventName !== 'channel.message.requested') {
      const from = statuses.get(message?.messageId ?? '') as 'queued' | undefined;
      const to = message?.status as (typeof receiptStatuses)[number];
      if (from === undefined || !advances({ status: from, error: undefined }, { status: to }))
        throw new Error(`${from} went to ${to}`);
      statuses.set(message?.messageId ?? '', to);
    }
    if (message !== undefined && message.sequence !== undefined && message.sequence > data.sequence) {
      throw new Error('a message is numbered after its event');
    }
    if (eventName === 'thread.status.changed') {
      if (data.previousStatus !== status || data.thread?.status === status) throw new Error('no move');
      status = String(data.thread?.status);
    }
    if (eventName === 'thread.message.received' && status !== 'open')
      throw new Error('received while not open');
    if (eventName === 'thread.message.created' && status === 'archived')
      throw new Error('sent while archived');
    if (eventName.startsWith('thread.service_window.')) {
      const phase = eventName.slice('thread.service_window.'.length);
      const legal: Record<string, readonly (string | undefined)[]> = {
        opened: [undefined, 'closed'],
        // Refreshed after it was announced, it is announced again.
        closing: ['opened', 'closing'],
        // Made to expire where it never opened.
        closed: ['opened', 'closing', undefined],
      };
      if (legal[phase]?.includes(window) !== true)
        throw new Error(`the window went from ${window} to ${phase}`);
      window = phase;
    }
  }
  if (thread.events.length > 0 && status !== thread.state.status)
    throw new Error('events and state disagree');
  for (const { messageId } of sent) {
    if (thread.row(messageId).status !== statuses.get(messageId)) throw new Error('events and rows disagree');
  }
}

/** Random histories of threads. */
export function testThreads(t: Test, numRuns: number): void {
  for (const kind of ['custom', 'sandbox'] as const) {
    t.test(`whatever happens to a ${kind} thread, its invariants hold`, async t => {
      let refused = 0;
      let steps = 0;
      fc.assert(
        fc.property(fc.array(step, { maxLength: 100, size: 'max' }), history => {
          const observed = new ObservedThread(kind);
          for (const next of history) {
            const before = { state: observed.thread.state, events: observed.thread.events.length };
            steps++;
            try {
              observed.take(next);
            } catch (error) {
              if (!(error instanceof ServiceError)) throw error;
              refused++;
              if (observed.thread.state !== before.state)
                throw new Error('a refusal changed something', { cause: error });
            }
            check(observed, before);
            checkSnooze(observed);
            observed.read();
          }
          checkHistory(observed);
          checkRow(observed);
        }),
        { numRuns },
      );
      t.ok(refused > numRuns / 2 && steps > refused * 2, `${steps} steps, ${refused} of them refused`);
    });
  }
}
