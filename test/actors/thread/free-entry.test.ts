import t from 'tap';
import type { Receipt } from '../../../actors/channel/providers.ts';
import { createIfMissingField } from '../../../actors/thread/commands.ts';
import type { Message } from '../../../protocol/resources/message.ts';
import { hour, key, message, start, tenancy, ThreadHarness } from './thread-harness.ts';

const [pending, opened, closed] = ['pending', 'opened', 'closed'].map(name => `thread.free_entry.${name}`);
const second = 1_000;
const iso = (at: number) => new Date(at).toISOString();

const entryNames = (thread: ThreadHarness) =>
  thread.names().filter(name => name.startsWith('thread.free_entry'));

const referral = {
  sourceType: 'ad',
  sourceId: '1',
  sourceUrl: null,
  headline: null,
  body: null,
  clickId: null,
};

/** The participant writes by an advertisement. */
function refer(thread: ThreadHarness, at = thread.now): void {
  const { channelId, kind } = thread;
  thread.do('receive', {
    ...tenancy,
    channel: { channelId, kind },
    [createIfMissingField]: { externalRef: '15550100', metadata: {} },
    message: { ...message('Hello'), details: { referral } },
    windowFrom: at,
  });
}

/** The provider reports on the message. */
function report(
  thread: ThreadHarness,
  sent: Message,
  status: Receipt['status'],
  at = thread.now,
  billing?: Receipt['billing'],
): void {
  const row = thread.row(sent.messageId) as Pick<Message, 'status' | 'externalMessageId'>;
  const reading = {
    message: { ...sent, ...row } as Message,
    asOf: thread.state.sequence,
    isExternalIdTaken: false,
  };
  const receipt: Receipt = { status, occurredAt: iso(at), ...(billing === undefined ? {} : { billing }) };
  thread.do('recordReceipts', { ...tenancy, reading, receipts: [receipt], unpark: [], author: key });
}

const referred = () => {
  const thread = new ThreadHarness('chatapp');
  refer(thread);
  return thread;
};

t.test('a referral makes it pending, and the first delivery opens it for 72 hours', async t => {
  const thread = referred();
  t.strictSame(entryNames(thread), [pending]);
  const deadline = iso(start + 24 * hour);
  t.strictSame(thread.events.at(-1)?.data['freeEntry'], {
    status: 'pending',
    pendingUntil: deadline,
    openedAt: null,
    expiresAt: null,
  });
  t.equal(thread.events.at(-1)?.data.actor.type, 'contact');
  thread.passTo(start + hour);
  const sent = thread.send();
  report(thread, sent, 'sent');
  t.strictSame(entryNames(thread), [pending], 'that it was sent is not enough');
  const at = start + 2 * hour;
  thread.passTo(at + 5 * second);
  report(thread, sent, 'delivered', at);
  t.strictSame(entryNames(thread), [pending, opened]);
  t.strictSame(thread.events.at(-1)?.data['freeEntry'], {
    status: 'open',
    pendingUntil: null,
    openedAt: iso(at),
    expiresAt: iso(at + 72 * hour),
  });
  thread.passTo(at + 72 * hour - 1);
  t.notOk(entryNames(thread).includes(String(closed)));
  thread.passTo(at + 72 * hour);
  t.strictSame(entryNames(thread), [pending, opened, closed]);
  t.notOk(thread.reminders.has('free-entry'));
});

t.test('a message that is read at once was delivered, too', async t => {
  const thread = referred();
  report(thread, thread.send(), 'read');
  t.strictSame(entryNames(thread), [pending, opened]);
});

t.test('a message from before the referral opens nothing', async t => {
  const thread = new ThreadHarness('chatapp');
  thread.receive();
  const early = thread.send();
  thread.passTo(start + hour);
  refer(thread);
  report(thread, early, 'delivered');
  t.strictSame(entryNames(thread), [pending]);
});

t.test(
  'without a delivery within 24 hours it lapses; a late receipt of a delivery in time opens it',
  async t => {
    const thread = referred();
    const sent = thread.send();
    thread.passTo(start + 24 * hour);
    t.strictSame(entryNames(thread), [pending, closed]);
    const late = referred();
    late.send();
    late.passTo(start + 24 * hour);
    report(late, sent, 'delivered', start + 24 * hour);
    t.strictSame(entryNames(late), [pending, closed], 'the first instant outside');
    report(thread, sent, 'delivered', start + 24 * hour - second);
    t.strictSame(entryNames(thread), [pending, closed, opened]);
  },
);

t.test('the provider’s own end counts, whether it comes before or after the delivery', async t => {
  const end = start + 168 * hour;
  const conversation = { id: 'c', origin: 'referral_conversion', expiresAt: iso(end) };
  for (const order of [
    ['sent', 'delivered'],
    ['delivered', 'sent'],
  ] as const) {
    const thread = referred();
    const sent = thread.send();
    for (const status of order) {
      report(thread, sent, status, start + second, status === 'sent' ? { conversation } : undefined);
    }
    t.equal(thread.state.freeEntry?.expiresAt, end, order.join());
    thread.passTo(end - 1);
    t.strictSame(entryNames(thread), [pending, opened]);
    thread.passTo(end);
    t.strictSame(entryNames(thread), [pending, opened, closed]);
  }
  const other = referred();
  const service = { ...conversation, origin: 'service' };
  report(other, other.send(), 'delivered', start, { conversation: service });
  t.equal(other.state.freeEntry?.expiresAt, start + 72 * hour, 'the end of another sort of conversation');
});

t.test(
  'a message that the provider charges for ends what is pending, and nothing of it opens later',
  async t => {
    const price = (type: string) => ({
      pricing: { billable: true, model: 'PMP', type, category: 'service' },
    });
    const thread = referred();
    thread.receive();
    const sent = thread.send();
    report(thread, sent, 'sent', start, price('free_customer_service'));
    t.strictSame(entryNames(thread), [pending], 'another sort of price says nothing');
    report(thread, sent, 'delivered', start, price('regular'));
    t.strictSame(entryNames(thread), [pending, closed]);
    report(thread, sent, 'read');
    t.strictSame(entryNames(thread), [pending, closed]);
    thread.passTo(start + 24 * hour);
    t.strictSame(entryNames(thread), [pending, closed], 'once');
    refer(thread);
    t.strictSame(entryNames(thread), [pending, closed, pending], 'and another one may count');
    const early = new ThreadHarness('chatapp');
    early.receive();
    const before = early.send();
    early.passTo(start + hour);
    refer(early);
    report(early, before, 'sent', start, price('regular'));
    t.strictSame(entryNames(early), [pending], 'the price of a message from before the referral');
    const open = referred();
    report(open, open.send(), 'delivered');
    report(open, open.send(), 'sent', start, price('regular'));
    t.strictSame(entryNames(open), [pending, opened], 'it is open for as long as it was said');
  },
);

t.test(
  'another referral moves the deadline, does nothing while it is open, and begins anew after it',
  async t => {
    const thread = referred();
    thread.passTo(start + hour);
    refer(thread);
    t.strictSame(entryNames(thread), [pending]);
    t.equal(thread.state.freeEntry?.pendingUntil, start + 25 * hour);
    refer(thread, start);
    t.equal(thread.state.freeEntry?.pendingUntil, start + 25 * hour, 'an older one moves nothing');
    report(thread, thread.send(), 'delivered');
    refer(thread);
    t.strictSame(entryNames(thread), [pending, opened]);
    thread.passTo(start + 80 * hour);
    refer(thread);
    t.strictSame(entryNames(thread), [pending, opened, closed, pending]);
  },
);

t.test(
  'events come in order where the reminder is late, and a referral that is over begins nothing',
  async t => {
    const thread = referred();
    thread.now = start + 30 * hour;
    refer(thread);
    t.strictSame(entryNames(thread), [pending, closed, pending]);
    const late = new ThreadHarness('chatapp');
    refer(late, start - 24 * hour);
    t.strictSame(entryNames(late), []);
    t.equal(late.state.freeEntry, null);
  },
);

t.test('it never permits a free-form message, and is forgotten with the participant', async t => {
  const thread = referred();
  report(thread, thread.send(), 'delivered');
  thread.passTo(start + 24 * hour);
  t.equal(thread.state.freeEntry?.status, 'open');
  t.throws(() => thread.send(), { code: 'svc/chatapp/template_required' });
  thread.do('erase', { ...tenancy, author: key });
  t.equal(thread.state.freeEntry, null);
  thread.passTo(start + 200 * hour);
  t.strictSame(entryNames(thread), [pending, opened]);
});
