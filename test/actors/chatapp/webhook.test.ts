/** What the provider's webhooks say: leniently read, in the order in which it was sent. */
import t from 'tap';
import { isSignedBy } from '../../../actors/chatapp/signature.ts';
import { listNames } from '../../../actors/chatapp/participants.ts';
import { concerns } from '../../../actors/chatapp/payload.ts';
import { listReferences, readMessages } from '../../../actors/chatapp/webhook.ts';
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
    participant: { phone: '15550100', userId: null },
    content: { type: 'text' },
    body: 'Hello',
    file: null,
    sentAt: 1_795_000_000_000,
    opensWindow: true,
  });
  t.match(readOne({ from: undefined, from_user_id: 'US.1' })?.participant, { phone: null, userId: 'US.1' });
  t.match(readOne({ from: 15550100 })?.participant, { phone: '15550100', userId: null });
  for (const more of [{ id: undefined }, { from: undefined }, { group_id: 'g' }, { id: 'x'.repeat(257) }]) {
    t.equal(readOne(more), undefined);
  }
  let unreadable = 0;
  const messages = [
    message({}),
    message({ id: undefined }),
    message({ from: undefined }),
    message({ group_id: 'g' }),
  ];
  readMessages(payload({ messages }), identity, now, () => unreadable++);
  t.equal(unreadable, 2, 'a message of a group is what it is');
  for (const timestamp of [undefined, 'soon', -1, 0, '99999999999999999', {}]) {
    t.equal(readOne({ timestamp })?.sentAt, now);
  }
  for (const messages of [undefined, null, {}, 'x', [null, 1, 'x', []]]) {
    t.same(readMessages(payload({ messages }), identity, now), []);
  }
});

t.test('whom a payload names', async t => {
  const named = payload({
    messages: [
      message(),
      message({ from: '15550101', from_user_id: 'US.1' }),
      message({
        type: 'system',
        system: { type: 'user_changed_number', wa_id: '15550103', user_id: 'US.3' },
      }),
    ],
    statuses: [{ recipient_id: 15550102 }],
    contacts: [{ wa_id: '15550100' }, { user_id: 'US.2' }, {}],
  });
  t.same(listNames(named, identity).sort(), [
    '15550100',
    '15550101',
    '15550102',
    '15550103',
    'US.1',
    'US.2',
    'US.3',
  ]);
  t.same(listNames(payload({ messages: [message()] }, { id: '11' }), identity), []);
});

t.test('the sender is told by the list of contacts, by either name', async t => {
  const contacts = [
    { profile: { name: 'Another' }, wa_id: '15550199' },
    { profile: { name: 'Ada', username: 'ada' }, wa_id: '15550100', user_id: 'US.1' },
  ];
  const ada = { phone: '15550100', userId: 'US.1', username: 'ada', displayName: 'Ada' };
  for (const from of [{ from: '15550100' }, { from: undefined, from_user_id: 'US.1' }]) {
    const [found] = readMessages(payload({ contacts, messages: [message(from)] }), identity, now);
    t.same(found?.participant, ada, JSON.stringify(from));
  }
  t.same(readOne({ from_user_id: 'US.9' })?.participant, {
    phone: '15550100',
    userId: 'US.9',
    username: null,
    displayName: null,
  });
});

t.test('a participant who is called otherwise from now on', async t => {
  const changed = (system: object) => readOne({ type: 'system', system })?.newNames;
  t.same(changed({ type: 'user_changed_number', wa_id: '15550103' }), { phone: '15550103', userId: null });
  t.same(changed({ type: 'customer_changed_number', new_wa_id: '15550103', user_id: 'US.3' }), {
    phone: '15550103',
    userId: 'US.3',
  });
  t.same(changed({ type: 'user_changed_user_id', user_id: 'US.3' }), { phone: null, userId: 'US.3' });
  t.equal(changed({ type: 'user_changed_number' }), undefined);
  t.equal(changed({ type: 'customer_identity_changed', wa_id: '15550103' }), undefined);
  t.equal(readOne({ system: { type: 'user_changed_number', wa_id: '15550103' } })?.newNames, undefined);
});

t.test('what a message answers, how often it was passed on, and what has brought its sender', async t => {
  const reply = readOne({ context: { from: '1', id: 'wamid.0' } });
  t.match(reply, { replyTo: { messageId: null, externalMessageId: 'wamid.0' }, forwarded: undefined });
  t.match(readOne({ context: { forwarded: true } }), { replyTo: undefined, forwarded: 'once' });
  t.match(readOne({ context: { id: 'wamid.0', frequently_forwarded: true } }), {
    replyTo: { externalMessageId: 'wamid.0' },
    forwarded: 'often',
  });
  const product = { catalog_id: 7, product_retailer_id: 'tea' };
  t.strictSame(readOne({ context: { from: '1', id: 'wamid.0', referred_product: product } })?.replyTo, {
    messageId: null,
    externalMessageId: 'wamid.0',
    product: { catalogId: '7', productId: 'tea' },
  });
  t.strictSame(readOne({ context: { referred_product: { product_retailer_id: 'tea' } } })?.replyTo, {
    messageId: null,
    externalMessageId: null,
    product: { catalogId: null, productId: 'tea' },
  });
  for (const referred_product of [null, 'tea', {}, { catalog_id: '7' }])
    t.equal(readOne({ context: { referred_product } })?.replyTo, undefined, 'no product');
  t.same(readOne({})?.referral, undefined);
  const referral = {
    source_url: 'https://a.test',
    source_id: 7,
    source_type: 'ad',
    headline: 'Tea',
    ctwa_clid: 'c',
  };
  t.same(readOne({ referral })?.referral, {
    sourceType: 'ad',
    sourceId: '7',
    sourceUrl: 'https://a.test',
    headline: 'Tea',
    body: null,
    clickId: 'c',
  });
  const reaction = readOne({
    type: 'reaction',
    reaction: { message_id: 'wamid.1', emoji: '👍' },
    context: { id: 'wamid.0' },
  });
  t.same(reaction && listReferences(reaction), ['wamid.0', 'wamid.1']);
  t.same(reply && listReferences(reply), ['wamid.0']);
});

t.test('text is kept as it is, as far as it can be kept', async t => {
  t.equal(readOne({ text: { body: 'a\0b\ud800c 😀' } })?.body, 'ab\ufffdc 😀');
  t.equal(Array.from(readOne({ text: { body: '😀'.repeat(16_001) } })?.body ?? '').length, 16_000);
});
