import t from 'tap';
import type { Message } from '../../../protocol/resources/message.ts';
import type { Receipt } from '../../../actors/channel/providers.ts';
import { newId } from '../../../protocol/ids.ts';
import { key, refusal, tenancy, ThreadHarness } from './thread-harness.ts';

const occurredAt = '2026-11-20T12:34:56.000Z';
const receipt = (status: Receipt['status']): Receipt => ({ status, occurredAt });

/** Reports on the message as it was read when `asOf` was the thread's sequence; by default just now. */
function report(
  thread: ThreadHarness,
  message: Message,
  statuses: readonly Receipt['status'][],
  more: {
    externalMessageId?: string;
    isExternalIdTaken?: boolean;
    asOf?: number;
    unpark?: readonly Receipt['status'][];
  } = {},
) {
  const { asOf = thread.state.sequence, unpark = [], isExternalIdTaken = false, ...external } = more;
  const row = thread.row(message.messageId) as Pick<Message, 'status' | 'externalMessageId'>;
  const reading = { message: { ...message, ...row } as Message, asOf, isExternalIdTaken };
  return thread.do('recordReceipts', {
    ...tenancy,
    reading,
    receipts: statuses.map(receipt),
    unpark,
    author: key,
    ...external,
  });
}

const sending = () => {
  const thread = new ThreadHarness('custom');
  thread.create();
  return { thread, sent: thread.send() };
};

t.test('a receipt twice, or too late, is no event', async t => {
  const { thread, sent } = sending();
  report(thread, sent, ['delivered']);
  const { state } = thread;
  const seen = thread.events.length;
  for (const late of ['sent', 'delivered', 'failed'] as const) {
    t.strictSame(report(thread, sent, [late]), { outcome: 'recorded', status: 'delivered' });
  }
  t.equal(thread.events.length, seen);
  t.equal(thread.state, state);
});

t.test('failed is final', async t => {
  const { thread, sent } = sending();
  const reading = { message: sent, asOf: thread.state.sequence };
  const failure = { ...receipt('failed'), error: { code: '131026', message: 'undeliverable' } };
  thread.do('recordReceipts', { ...tenancy, reading, receipts: [failure], unpark: [], author: key });
  t.match(thread.events.at(-1), {
    eventName: 'channel.message.delivery_failed',
    data: { error: { code: '131026', message: 'undeliverable' }, message: { status: 'failed' } },
  });
  t.equal(report(thread, sent, ['delivered', 'read']).status, 'failed');
  t.equal(thread.row(sent.messageId).status, 'failed');
});

t.test('several receipts at once count by rank, whatever their order', async t => {
  const { thread, sent } = sending();
  const seen = thread.events.length;
  report(thread, sent, ['read', 'sent', 'failed', 'delivered']);
  t.strictSame(thread.names(seen), [
    'channel.message.sent',
    'channel.message.delivered',
    'channel.message.read',
  ]);
});

t.test('a reading older than the thread’s memory is refused as stale', async t => {
  const thread = new ThreadHarness('custom');
  thread.create();
  const messages = Array.from({ length: 12 }, () => thread.send());
  const asOf = thread.state.sequence;
  for (const message of messages) report(thread, message, ['delivered']);
  const [first] = messages;
  if (first === undefined) throw new Error('no message');
  const { state } = thread;
  t.strictSame(report(thread, first, ['read'], { asOf }), { outcome: 'stale', status: null });
  t.equal(thread.state, state);
  t.equal(report(thread, first, ['read']).outcome, 'recorded', 'a fresh reading is taken');
  t.ok(thread.state.recent.last.length <= 8, 'the memory is bounded');
});

t.test('updates of one message in one batch may replace each other: the last says everything', async t => {
  const { thread, sent } = sending();
  const { asOf } = { asOf: thread.state.sequence };
  report(thread, sent, ['sent'], { externalMessageId: 'wamid.1', asOf });
  report(thread, sent, ['delivered'], { asOf });
  const last = thread.writes.filter(write => write.statement.name === 'message.status').at(-1);
  t.strictSame(last?.values.slice(2, 4), ['delivered', 'wamid.1']);
});

t.test('a provider’s id that another message has is refused, unless the message has it already', async t => {
  const { thread, sent } = sending();
  const taken = { externalMessageId: 'wamid.1', isExternalIdTaken: true };
  t.equal(refusal(() => report(thread, sent, ['sent'], taken)).code, 'svc/runtime/conflict');
  report(thread, sent, ['sent'], { externalMessageId: 'wamid.1' });
  t.strictSame(report(thread, sent, ['read'], taken), { outcome: 'recorded', status: 'read' });
});

t.test('parked receipts are taken out by the commit that applies them', async t => {
  const { thread, sent } = sending();
  report(thread, sent, ['sent', 'delivered'], { externalMessageId: 'wamid.1', unpark: ['delivered'] });
  const unpark = thread.writes.find(write => write.statement.name === 'receipt.unpark');
  t.strictSame(unpark?.values, [thread.channelId, 'wamid.1', 'delivered']);
});

t.test('an inbound message has no receipts, and another tenant’s message is not there', async t => {
  const { thread, sent } = sending();
  const inbound = thread.receive();
  t.equal(refusal(() => report(thread, inbound, ['read'])).code, 'svc/runtime/conflict');
  const foreign = {
    ...tenancy,
    projectId: newId('project'),
    reading: { message: sent, asOf: 0 },
    receipts: [receipt('read')],
    unpark: [],
    author: key,
  };
  t.equal(refusal(() => thread.do('recordReceipts', foreign)).code, 'svc/runtime/not_found');
});

/** A message of a chatapp channel, whose participant has written. */
const answering = () => {
  const thread = new ThreadHarness('chatapp');
  thread.receive();
  return { thread, sent: thread.send() };
};

/** Reports with everything that a receipt may say. */
function reportAll(thread: ThreadHarness, message: Message, ...receipts: Receipt[]) {
  const row = thread.row(message.messageId) as Pick<Message, 'status' | 'externalMessageId'>;
  const reading = { message: { ...message, ...row } as Message, asOf: thread.state.sequence };
  return thread.do('recordReceipts', { ...tenancy, reading, receipts, unpark: [], author: key });
}

const statements = (thread: ThreadHarness, since: number): string[] =>
  thread.writes.slice(since).map(({ statement }) => statement.name);

t.test(
  'a message that leaves by our own hand is queued with it, and settled with what becomes of it',
  async t => {
    const { thread, sent } = answering();
    t.ok(statements(thread, 0).includes('chatapp_send.queue'));
    t.same(thread.effects.at(-1), {
      do: 'tell',
      to: { kind: 'channel', id: thread.channelId },
      command: 'work',
      payload: { work: 'sends' },
    });
    const since = thread.writes.length;
    report(thread, sent, [], { externalMessageId: 'wamid.1' });
    t.same(
      statements(thread, since),
      ['event.append', 'message.status', 'chatapp_send.settle'],
      'held by the provider',
    );
    const again = thread.writes.length;
    report(thread, sent, ['sent']);
    report(thread, sent, ['delivered']);
    t.same(statements(thread, again).filter(name => name === 'chatapp_send.settle').length, 1);
  },
);

t.test('a failure of unknown outcome is not final, and says so', async t => {
  const { thread, sent } = answering();
  const error = { message: 'No answer', details: { outcome: 'unknown' } } as const;
  reportAll(thread, sent, { ...receipt('failed'), error });
  t.match(thread.events.at(-1), {
    eventName: 'channel.message.delivery_failed',
    data: { error, message: { status: 'failed', error } },
  });
  const seen = thread.events.length;
  reportAll(thread, sent, { ...receipt('failed'), error: { code: '1' } });
  t.equal(thread.events.length, seen, 'it has failed already');
  for (const status of ['sent', 'delivered', 'read'] as const) reportAll(thread, sent, receipt(status));
  t.same(thread.names(seen), ['thread.message.updated', 'channel.message.delivered', 'channel.message.read']);
  for (const { data } of thread.events.slice(seen)) t.equal(data.message?.error, undefined);
  reportAll(thread, sent, { ...receipt('failed'), error });
  t.equal(thread.row(sent.messageId).status, 'read');
});

t.test('a failure counts until it is made good', async t => {
  const { thread, sent } = answering();
  const unknown = { message: 'No answer', details: { outcome: 'unknown' } } as const;
  const later = thread.send();
  const getTold = () => thread.events.at(-1)?.data.failedSends;
  reportAll(thread, sent, { ...receipt('failed'), error: unknown });
  t.strictSame([thread.state.failedSends?.count, getTold()], [1, 1]);
  reportAll(thread, later, receipt('sent'));
  t.strictSame(
    [thread.state.failedSends?.count, getTold()],
    [1, undefined],
    'that one was written before anybody knew',
  );
  const third = thread.send();
  reportAll(thread, third, { ...receipt('failed'), error: { code: '1' } });
  t.strictSame([thread.state.failedSends?.count, getTold()], [2, 2]);
  reportAll(thread, sent, receipt('sent'));
  t.strictSame([thread.state.failedSends?.count, getTold()], [1, 1], 'the first was sent after all');
  const retried = thread.send();
  t.equal(thread.state.failedSends?.count, 1, 'it is on its way');
  reportAll(thread, retried, receipt('delivered'));
  t.strictSame([thread.state.failedSends, getTold()], [null, 0]);
  reportAll(thread, retried, receipt('read'));
  t.equal(getTold(), undefined, 'it has not changed');
});

t.test('what the sandbox sends makes failures good at once, and says so', async t => {
  const thread = new ThreadHarness('sandbox');
  thread.create();
  const sent = thread.send();
  t.equal(thread.events.at(-1)?.data.failedSends, undefined);
  reportAll(thread, { ...sent, status: 'sent' }, receipt('failed'));
  t.equal(thread.state.failedSends?.count, 1);
  thread.send();
  t.match(thread.events.at(-1), { eventName: 'channel.message.sent', data: { failedSends: 0 } });
  t.equal(thread.state.failedSends, null);
});

t.test('price and conversation are kept with the message, without an event of their own', async t => {
  const { thread, sent } = answering();
  const conversation = { id: 'c', origin: 'service', expiresAt: null };
  const pricing = { billable: true, model: 'PMP', type: 'regular', category: 'service' };
  reportAll(thread, sent, receipt('sent'));
  const seen = thread.events.length;
  reportAll(thread, sent, { ...receipt('sent'), billing: { conversation } });
  t.equal(thread.events.length, seen);
  reportAll(thread, sent, { ...receipt('delivered'), billing: { pricing } });
  t.match(thread.events.at(-1)?.data.message?.metadata, { chatapp: { conversation, pricing } });
  const last = thread.writes.findLast(write => write.statement.name === 'message.status');
  t.same(
    JSON.parse(String(last?.values[5])),
    { chatapp: { conversation, pricing } },
    'the last says everything',
  );
});

t.test(
  'the provider’s word that the window is closed closes it, unless the participant has written since',
  async t => {
    const refused = {
      status: 'failed',
      error: { code: '131047', message: 'Re-engagement message' },
    } as const;
    const closing = answering();
    const at = (ms: number) => ({ ...refused, occurredAt: new Date(ms).toISOString() });
    reportAll(closing.thread, closing.sent, at(closing.thread.now));
    t.equal(closing.thread.events.at(-1)?.eventName, 'thread.service_window.closed');
    t.equal(refusal(() => closing.thread.send()).code, 'svc/chatapp/template_required');
    const open = answering();
    const sentAt = open.thread.now;
    open.thread.now += 60_000;
    open.thread.receive();
    reportAll(open.thread, open.sent, at(sentAt));
    t.ok(open.thread.send(), 'it is open again by now');
  },
);
