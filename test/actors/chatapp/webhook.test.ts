/** What the provider's webhooks say: leniently read, in the order in which it was sent. */
import t from 'tap';
import { describeContent } from '../../../actors/chatapp/describe.ts';
import { isSignedBy } from '../../../actors/chatapp/signature.ts';
import { concerns, listParticipants, parsePayload, readMessages } from '../../../actors/chatapp/webhook.ts';
import { sign } from '../../support/chatapp-provider/index.ts';

const identity = { wabaId: '10', phoneNumberId: '20' };
const now = Date.parse('2026-11-20T12:00:00Z');

const payload = (value: object, { id = '10', field = 'messages' } = {}) => ({
  object: 'whatsapp_business_account',
  entry: [{ id, changes: [{ field, value: { metadata: { phone_number_id: '20' }, ...value } }] }],
});

const message = (more: object = {}) => ({
  id: 'wamid.1',
  from: '15550100',
  timestamp: '1795000000',
  type: 'text',
  text: { body: 'Hello' },
  ...more,
});

const readOne = (more: object) => readMessages(payload({ messages: [message(more)] }), identity, now)[0];

t.test('a signature is of these very bytes, by one of the secrets', async t => {
  const body = Buffer.from('{"a":"\\u00eb"}');
  const good = sign(body, 'secret');
  t.ok(isSignedBy(body, good, ['secret']));
  t.ok(isSignedBy(body, good, ['newer', 'secret']));
  t.notOk(isSignedBy(body, good, ['another']));
  t.notOk(isSignedBy(body, good, []));
  t.notOk(isSignedBy(Buffer.from('{"a":"ë"}'), good, ['secret']), 'the same JSON');
  for (const bad of [
    '',
    good.toUpperCase(),
    good.slice(7),
    `${good}00`,
    good.replace('256', '1'),
    `sha256=${'z'.repeat(64)}`,
  ]) {
    t.notOk(isSignedBy(body, bad, ['secret']), bad);
  }
});

t.test('a payload is the channel’s by its account, and by its number where it names one', async t => {
  t.ok(concerns(payload({ messages: [] }), identity));
  t.notOk(concerns(payload({}, { id: '11' }), identity));
  t.notOk(concerns(payload({ metadata: { phone_number_id: '21' } }), identity));
  t.ok(
    concerns(
      payload({ metadata: undefined, event: 'APPROVED' }, { field: 'message_template_status_update' }),
      identity,
    ),
  );
  t.ok(concerns(payload({ metadata: { phone_number_id: 20 } }), identity), 'a number as a number');
  const portfolio = payload(
    { metadata: undefined, event: 'PARTNER_ADDED' },
    { id: '99', field: 'account_update' },
  );
  t.ok(concerns(portfolio, identity), 'a portfolio stands in the place of the account');
  t.ok(concerns({ object: 'whatsapp_business_account', entry: [] }, identity), 'nothing that is another’s');
  const foreign = payload({ metadata: { phone_number_id: '21' } });
  const mixed = { ...foreign, entry: [...foreign.entry, ...payload({ messages: [message()] }).entry] };
  t.ok(concerns(mixed, identity));
  t.equal(readMessages(mixed, identity, now).length, 1);
  for (const other of [undefined, null, 7, 'text', [], {}, { object: 'page', entry: [] }]) {
    t.notOk(concerns(other, identity), JSON.stringify(other));
  }
});

t.test('messages come once each, in the order in which they were sent', async t => {
  const messages = [
    message({ id: 'c', timestamp: '1795000003' }),
    message({ id: 'a', timestamp: '1795000001' }),
    message({ id: 'b', timestamp: 1_795_000_002_000 }),
    message({ id: 'a', timestamp: '1795000009' }),
  ];
  t.same(
    readMessages(payload({ messages }), identity, now).map(({ externalMessageId, sentAt }) => [
      externalMessageId,
      sentAt,
    ]),
    [
      ['a', 1_795_000_001_000],
      ['b', 1_795_000_002_000],
      ['c', 1_795_000_003_000],
    ],
  );
});

t.test('a message that lacks what it needs is left out, and so is one of a group', async t => {
  t.match(readOne({}), {
    externalMessageId: 'wamid.1',
    participant: '15550100',
    body: 'Hello',
    sentAt: 1_795_000_000_000,
    opensWindow: true,
  });
  t.equal(readOne({ from: undefined, from_user_id: 'US.1' })?.participant, 'US.1');
  t.equal(readOne({ from: 15550100 })?.participant, '15550100');
  for (const more of [{ id: undefined }, { from: undefined }, { group_id: 'g' }, { id: 'x'.repeat(257) }]) {
    t.equal(readOne(more), undefined);
  }
  for (const timestamp of [undefined, 'soon', -1, 0, '99999999999999999', {}]) {
    t.equal(readOne({ timestamp })?.sentAt, now);
  }
  for (const messages of [undefined, null, {}, 'x', [null, 1, 'x', []]]) {
    t.same(readMessages(payload({ messages }), identity, now), []);
  }
});

t.test('whom a payload names', async t => {
  const named = payload({
    messages: [message(), message({ from: '15550101', from_user_id: 'US.1' })],
    statuses: [{ recipient_id: 15550102 }],
    contacts: [{ wa_id: '15550100' }, { user_id: 'US.2' }, {}],
  });
  t.same(listParticipants(named, identity).sort(), ['15550100', '15550101', '15550102', 'US.1', 'US.2']);
  t.same(listParticipants(payload({ messages: [message()] }, { id: '11' }), identity), []);
});

t.test('text is kept as it is, as far as it can be kept', async t => {
  t.equal(readOne({ text: { body: 'a\0b\ud800c 😀' } })?.body, 'ab\ufffdc 😀');
  t.equal(Array.from(readOne({ text: { body: '😀'.repeat(16_001) } })?.body ?? '').length, 16_000);
});

t.test('whatever is sent, a person understands it', async t => {
  const cases: readonly (readonly [object, string])[] = [
    [{ type: 'text', text: { body: 'Hi' } }, 'Hi'],
    [{ type: 'text', text: {} }, '[Unsupported message]'],
    [{ type: 'image', image: { id: '1', caption: 'My cat' } }, 'My cat'],
    [{ type: 'image', image: { id: '1' } }, '[Image]'],
    [{ type: 'video', video: { id: '1' } }, '[Video]'],
    [{ type: 'audio', audio: { id: '1', voice: true } }, '[Voice message]'],
    [{ type: 'audio', audio: { id: '1' } }, '[Audio]'],
    [{ type: 'sticker', sticker: { id: '1' } }, '[Sticker]'],
    [{ type: 'document', document: { id: '1', filename: 'bill.pdf' } }, '[Document: bill.pdf]'],
    [
      { type: 'location', location: { latitude: 52.5, longitude: 13.4, name: 'Office' } },
      '[Location] Office (52.5, 13.4)',
    ],
    [{ type: 'location', location: { latitude: 52.5, longitude: 13.4 } }, '[Location] 52.5, 13.4'],
    [
      { type: 'contacts', contacts: [{ name: { formatted_name: 'Ada' }, phones: [{ phone: '+1 555' }] }] },
      '[Contact] Ada, +1 555',
    ],
    [
      { type: 'interactive', interactive: { type: 'button_reply', button_reply: { id: 'y', title: 'Yes' } } },
      'Yes',
    ],
    [
      {
        type: 'interactive',
        interactive: { type: 'list_reply', list_reply: { id: '1', title: 'Monday', description: 'at nine' } },
      },
      'Monday: at nine',
    ],
    [
      { type: 'interactive', interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent' } } },
      '[Form] Sent',
    ],
    [{ type: 'interactive' }, '[Form]'],
    [{ type: 'button', button: { text: 'Stop', payload: 'p' } }, 'Stop'],
    [{ type: 'reaction', reaction: { message_id: 'w', emoji: '👍' } }, '[Reaction] 👍'],
    [{ type: 'reaction', reaction: { message_id: 'w' } }, '[Reaction] removed'],
    [
      {
        type: 'order',
        order: {
          text: 'Quickly, please',
          product_items: [{ product_retailer_id: 'tea', quantity: 2, item_price: 3.5, currency: 'EUR' }],
        },
      },
      '[Order]\n2 x tea 3.5 EUR\nQuickly, please',
    ],
    [{ type: 'system', system: { body: 'Ada has a new number' } }, 'Ada has a new number'],
    [{ type: 'edit', edit: { message: { type: 'text', text: { body: 'Hi!' } } } }, '[Edited] Hi!'],
    [{ type: 'revoke', revoke: {} }, '[Message deleted]'],
    [{ type: 'unsupported', errors: [{ code: 131051 }] }, '[Unsupported message]'],
    [{ type: 'hologram', hologram: {} }, '[Unsupported message]'],
    [{ type: 'constructor' }, '[Unsupported message]'],
    [{}, '[Unsupported message]'],
  ];
  for (const [node, text] of cases) t.equal(describeContent(node), text);
});

t.test('what the participant does opens the window, and what is reported of them does not', async t => {
  for (const type of ['text', 'reaction', 'unsupported', 'order', 'button'])
    t.ok(readOne({ type })?.opensWindow, type);
  for (const type of ['system', 'edit', 'revoke']) t.notOk(readOne({ type })?.opensWindow, type);
});

t.test('a body that is no JSON', async t => {
  t.equal(parsePayload(Buffer.from('{"a":')), undefined);
  t.same(parsePayload(Buffer.from('{"a":1}')), { a: 1 });
});
