/** Reports on messages, as webhooks bring them. */
import t from 'tap';
import { readStatuses } from '../../../actors/chatapp/statuses.ts';
import { newId } from '../../../protocol/ids.ts';

const identity = { wabaId: '10', phoneNumberId: '20' };
const now = Date.parse('2026-11-20T12:00:00Z');
const messageId = newId('message');

function readAll(...statuses: readonly unknown[]) {
  const metadata = { display_phone_number: '1', phone_number_id: '20' };
  const changes = [{ field: 'messages', value: { metadata, statuses } }];
  return readStatuses({ object: 'whatsapp_business_account', entry: [{ id: '10', changes }] }, identity, now);
}

const sent = {
  id: 'wamid.1',
  status: 'sent',
  timestamp: String(now / 1_000 - 60),
  recipient_id: '15550100',
  biz_opaque_callback_data: messageId,
};

t.test('a report names the message, and says what has happened to it and when', async t => {
  t.strictSame(readAll(sent), [
    {
      externalMessageId: 'wamid.1',
      messageId,
      status: 'sent',
      occurredAt: now - 60_000,
      error: undefined,
      isPlayed: false,
      pricing: undefined,
      conversation: undefined,
    },
  ]);
  const failed = {
    ...sent,
    status: 'failed',
    errors: [{ code: 131047, title: 'Re-engagement message', error_data: { details: 'More than 24 hours' } }],
  };
  t.match(readAll(failed), [
    { error: { code: '131047', message: 'Re-engagement message: More than 24 hours' } },
  ]);
  t.match(readAll({ ...failed, errors: [] }), [{ error: { code: 'unknown', message: '' } }]);
});

t.test('price and conversation are read', async t => {
  const priced = {
    ...sent,
    pricing: {
      billable: false,
      pricing_model: 'PMP',
      type: 'free_entry_point',
      category: 'referral_conversion',
    },
    conversation: { id: 'c', expiration_timestamp: now / 1_000, origin: { type: 'referral_conversion' } },
  };
  t.match(readAll(priced), [
    {
      pricing: { billable: false, model: 'PMP', type: 'free_entry_point', category: 'referral_conversion' },
      conversation: { id: 'c', origin: 'referral_conversion', expiresAt: new Date(now).toISOString() },
    },
  ]);
});

t.test('played is read, and what has no meaning here is left out', async t => {
  t.match(readAll({ ...sent, status: 'played' }), [{ status: 'read', isPlayed: true }]);
  t.match(readAll({ ...sent, status: 'read' }), [{ status: 'read', isPlayed: false }]);
  const foreign = { ...sent, biz_opaque_callback_data: 'something else' };
  t.equal(readAll(foreign)[0]?.messageId, undefined);
  const future = { ...sent, timestamp: String(now / 1_000 + 3_600) };
  t.equal(readAll(future)[0]?.occurredAt, now, 'not ahead of its own webhook');
  for (const odd of [
    { ...sent, status: 'deleted' },
    { ...sent, status: 'constructor' },
    { ...sent, id: undefined },
    { ...sent, recipient_type: 'group' },
    {},
  ]) {
    t.same(readAll(odd), []);
  }
  t.match(readAll(null, 7, { ...sent, timestamp: 'never' }), [{ occurredAt: now }]);
});
