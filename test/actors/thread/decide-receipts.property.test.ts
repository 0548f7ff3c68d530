/** Whatever the provider reports of a message, in whatever order and how often: its status never goes back, and it has three events at most. */
import fc from '../../support/fuzz.ts';
import t from 'tap';
import type { Receipt } from '../../../actors/channel/providers.ts';
import type { Message, MessageStatus } from '../../../protocol/resources/message.ts';
import { key, tenancy, ThreadHarness } from './thread-harness.ts';

const occurredAt = '2026-11-20T12:34:56.000Z';

const receipt: fc.Arbitrary<Receipt> = fc.record(
  {
    status: fc.constantFrom('sent', 'delivered', 'read', 'failed' as const),
    occurredAt: fc.constant(occurredAt),
    error: fc.constantFrom(
      { code: '131026', message: 'undeliverable' },
      { message: 'no answer', details: { outcome: 'unknown' as const } },
    ),
    billing: fc.record({
      pricing: fc.constant({ billable: true, model: 'PMP', type: 'regular', category: 'service' }),
    }),
  },
  { requiredKeys: ['status', 'occurredAt'] },
);

const ranks: Readonly<Record<MessageStatus, number>> = {
  queued: 0,
  sent: 1,
  delivered: 2,
  read: 3,
  failed: 4,
};

t.test('receipts in any order', async t => {
  const reports = fc.array(fc.array(receipt, { minLength: 1, maxLength: 4 }), {
    minLength: 1,
    maxLength: 10,
  });
  fc.assert(
    fc.property(reports, history => {
      const thread = new ThreadHarness('chatapp');
      thread.receive();
      const message = thread.send();
      const seen = thread.events.length;
      let shown: Message = { ...message, status: 'queued' };
      for (const receipts of history) {
        const before = shown;
        const from = thread.events.length;
        const reading = { message: shown, asOf: thread.state.sequence };
        thread.do('recordReceipts', { ...tenancy, reading, receipts, unpark: [], author: key });
        for (const { data } of thread.events.slice(from)) shown = data.message ?? shown;
        checkMove(before, shown);
      }
      const names = thread.names(seen);
      const receiptEvents = names.filter(name => name.startsWith('channel.message.'));
      if (receiptEvents.length > 3) throw new Error(`too many events: ${names.join()}`);
      const settled = thread.writes.filter(
        ({ statement }) => statement.name === 'chatapp_send.settle',
      ).length;
      if (settled !== 1) throw new Error(`settled ${settled} times`);
    }),
  );
  t.pass();
});

function checkMove(before: Message, after: Message): void {
  const from = ranks[before.status ?? 'queued'];
  const to = ranks[after.status ?? 'queued'];
  const wasUnknown = before.error?.details?.outcome === 'unknown';
  if (to < from && !wasUnknown) throw new Error(`${before.status} went to ${after.status}`);
  if (after.status !== 'failed' && after.error !== undefined) {
    throw new Error('a message that has not failed has an error');
  }
}
