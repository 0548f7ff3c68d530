/** Typed content: what the provider says of a message, with its structure, and as a text for people. */
import t from 'tap';
import Value from 'typebox/value';
import { readContent } from '../../../actors/chatapp/content.ts';
import { describeContent } from '../../../actors/chatapp/describe.ts';
import { MessageContent } from '../../../protocol/resources/content.ts';
import { findUnstorable } from '../../../protocol/validate.ts';
import fc from '../../support/fuzz.ts';

const reference = (externalMessageId: string | null) => ({ messageId: null, externalMessageId });
const unsupported = (providerType: string | null) => ({ type: 'unsupported', providerType });

const cases: readonly (readonly [node: object, content: object, body: string])[] = [
  [{ type: 'text', text: { body: 'Hi' } }, { type: 'text' }, 'Hi'],
  [{ type: 'text', text: {} }, unsupported('text'), '[Unsupported message]'],
  [
    { type: 'image', image: { id: '1', caption: 'My cat' } },
    { type: 'media', kind: 'image', caption: 'My cat' },
    'My cat',
  ],
  [{ type: 'image', image: { id: '1' } }, { type: 'media', kind: 'image', caption: null }, '[Image]'],
  [{ type: 'video', video: { id: '1' } }, { type: 'media', kind: 'video', caption: null }, '[Video]'],
  [
    { type: 'audio', audio: { id: '1', voice: true } },
    { type: 'media', kind: 'audio', caption: null, voice: true },
    '[Voice message]',
  ],
  [
    { type: 'audio', audio: { id: '1' } },
    { type: 'media', kind: 'audio', caption: null, voice: false },
    '[Audio]',
  ],
  [
    { type: 'voice', voice: { id: '1' } },
    { type: 'media', kind: 'audio', caption: null, voice: true },
    '[Voice message]',
  ],
  [{ type: 'sticker', sticker: { id: '1' } }, { type: 'media', kind: 'sticker', caption: null }, '[Sticker]'],
  [
    { type: 'document', document: { id: '1', filename: 'bill.pdf' } },
    { type: 'media', kind: 'document', caption: null },
    '[Document: bill.pdf]',
  ],
  [
    {
      type: 'location',
      location: { latitude: 52.5, longitude: '13.4', name: 'Office', address: 'Main Street 1' },
    },
    {
      type: 'location',
      latitude: 52.5,
      longitude: 13.4,
      name: 'Office',
      address: 'Main Street 1',
      url: null,
    },
    '[Location] Office, Main Street 1 (52.5, 13.4)',
  ],
  [
    { type: 'location', location: { latitude: 52.5, longitude: 13.4 } },
    { type: 'location', latitude: 52.5, longitude: 13.4, name: null, address: null, url: null },
    '[Location] 52.5, 13.4',
  ],
  [
    { type: 'location', location: { latitude: 91, longitude: 1 } },
    unsupported('location'),
    '[Unsupported message]',
  ],
  [
    {
      type: 'contacts',
      contacts: [
        {
          name: { formatted_name: 'Ada' },
          phones: [{ phone: '+1 555', type: 'HOME' }],
          org: { company: 'Acme' },
        },
        { name: {}, emails: [{ email: 'a@b.test' }] },
      ],
    },
    {
      type: 'contacts',
      contacts: [
        { name: 'Ada', phones: [{ phone: '+1 555', type: 'HOME' }], emails: [], organization: 'Acme' },
        { name: '', phones: [], emails: [{ email: 'a@b.test', type: null }], organization: null },
      ],
    },
    '[Contact] Ada, +1 555\n[Contact]',
  ],
  [
    { type: 'interactive', interactive: { type: 'button_reply', button_reply: { id: 'y', title: 'Yes' } } },
    { type: 'interactive', kind: 'button', id: 'y', title: 'Yes' },
    'Yes',
  ],
  [
    {
      type: 'interactive',
      interactive: { type: 'list_reply', list_reply: { id: '1', title: 'Monday', description: 'at nine' } },
    },
    { type: 'interactive', kind: 'list', id: '1', title: 'Monday', description: 'at nine' },
    'Monday: at nine',
  ],
  [
    {
      type: 'interactive',
      interactive: {
        type: 'nfm_reply',
        nfm_reply: { name: 'flow', body: 'Sent', response_json: '{"day":"Monday"}' },
      },
    },
    { type: 'interactive', kind: 'form', id: null, title: 'Sent', data: { day: 'Monday' } },
    '[Form] Sent',
  ],
  [
    { type: 'interactive', interactive: { type: 'nfm_reply', nfm_reply: { response_json: '["\\u0000"' } } },
    { type: 'interactive', kind: 'form', id: null, title: null },
    '[Form]',
  ],
  [
    { type: 'interactive', interactive: { type: 'call_permission_reply' } },
    { type: 'interactive', kind: 'other', id: null, title: null },
    '[Answer]',
  ],
  [{ type: 'interactive' }, { type: 'interactive', kind: 'other', id: null, title: null }, '[Answer]'],
  [
    { type: 'button', button: { text: 'Stop', payload: 'p' } },
    { type: 'interactive', kind: 'button', id: 'p', title: 'Stop' },
    'Stop',
  ],
  [
    { type: 'reaction', reaction: { message_id: 'w', emoji: '👍' } },
    { type: 'reaction', emoji: '👍', to: reference('w') },
    '[Reaction] 👍',
  ],
  [
    { type: 'reaction', reaction: { message_id: 'w', emoji: '' } },
    { type: 'reaction', emoji: null, to: reference('w') },
    '[Reaction] removed',
  ],
  [
    {
      type: 'order',
      order: {
        catalog_id: 'c',
        text: 'Quickly, please',
        product_items: [{ product_retailer_id: 'tea', quantity: '2', item_price: 3.5, currency: 'EUR' }],
      },
    },
    {
      type: 'order',
      catalogId: 'c',
      text: 'Quickly, please',
      items: [{ productId: 'tea', quantity: 2, price: 3.5, currency: 'EUR' }],
    },
    '[Order]\n2 x tea 3.5 EUR\nQuickly, please',
  ],
  [
    { type: 'system', system: { type: 'user_changed_number', body: 'Ada has a new number' } },
    { type: 'system', event: 'number_changed' },
    'Ada has a new number',
  ],
  [
    { type: 'system', system: { type: 'customer_identity_changed' } },
    { type: 'system', event: 'identity_changed' },
    '[Security code changed]',
  ],
  [{ type: 'system', system: {} }, { type: 'system', event: 'other' }, '[System message]'],
  [
    { type: 'edit', edit: { original_message_id: 'w', message: { type: 'text', text: { body: 'Hi!' } } } },
    { type: 'system', event: 'message_edited', about: reference('w'), text: 'Hi!' },
    '[Edited] Hi!',
  ],
  [
    { type: 'edit', edit: { message: { type: 'edit', edit: {} } } },
    { type: 'system', event: 'message_edited', about: reference(null), text: null },
    '[Message edited]',
  ],
  [
    { type: 'revoke', revoke: { original_message_id: 'w' } },
    { type: 'system', event: 'message_deleted', about: reference('w') },
    '[Message deleted]',
  ],
  [
    { type: 'unsupported', errors: [{ code: 131051 }], unsupported: { type: 'poll' } },
    unsupported('poll'),
    '[Unsupported message]',
  ],
  [{ type: 'unsupported' }, unsupported(null), '[Unsupported message]'],
  [{ type: 'hologram', hologram: {} }, unsupported('hologram'), '[Unsupported message]'],
  [{ type: 'constructor' }, unsupported('constructor'), '[Unsupported message]'],
  [{}, unsupported(null), '[Unsupported message]'],
];

t.test('whatever is sent, its structure is kept, and a person understands it', async t => {
  for (const [node, content, body] of cases) {
    const found = readContent(node);
    t.strictSame(found.content, content, JSON.stringify(node));
    t.equal(found.body, body);
    t.ok(Value.Check(MessageContent, found.content), JSON.stringify(found.content));
  }
});

t.test('a file is named by the provider’s id of it', async t => {
  const image = { id: 17, mime_type: 'image/jpeg', sha256: 'abc=', caption: 'My cat' };
  t.strictSame(readContent({ type: 'image', image }).file, {
    providerMediaId: '17',
    kind: 'image',
    mimeType: 'image/jpeg',
    filename: null,
    sha256: 'abc=',
  });
  const document = { id: '18', filename: 'a\0b.pdf' };
  t.match(readContent({ type: 'document', document }).file, {
    mimeType: 'application/octet-stream',
    filename: 'ab.pdf',
  });
  t.equal(readContent({ type: 'image', image: { caption: 'No file' } }).file, null);
  t.equal(readContent({ type: 'text', text: { body: 'Hi' } }).file, null);
});

t.test('a content that is too long is not kept, and neither is a form that cannot be stored', async t => {
  const contacts = Array.from({ length: 2_000 }, () => ({
    name: { formatted_name: 'Somebody of a long name' },
  }));
  const { content, body } = readContent({ type: 'contacts', contacts });
  t.strictSame(content, unsupported('contacts'));
  t.equal(body, '[Unsupported message]');
  const deep = `${'{"a":'.repeat(500)}1${'}'.repeat(500)}`;
  for (const responseJson of [deep, '{"a":"\\u0000"}', '{"\\ud800":1}', '[1]', 'null', '']) {
    const answer = { type: 'nfm_reply', nfm_reply: { response_json: responseJson } };
    t.notOk(
      'data' in readContent({ type: 'interactive', interactive: answer }).content,
      responseJson.slice(0, 20),
    );
  }
});

t.test('a template is described by its name until its text is known', async t => {
  t.equal(
    describeContent({ type: 'template', name: 'hello', language: 'en', components: [] }),
    '[Template: hello]',
  );
});

const types = [...new Set(cases.map(([node]) => String((node as { type?: unknown }).type)))];

t.test('whatever the provider says, it is read as something that can be stored', async () => {
  const words = fc.oneof(
    fc.constantFrom('id', 'body', 'type', 'name', 'message_id', 'phones'),
    fc.string({ unit: 'binary' }),
  );
  const node = fc.letrec(tie => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.oneof(words, fc.double(), fc.boolean(), fc.constant(null)),
      fc.dictionary(words, tie('value'), { maxKeys: 5 }),
      fc.array(tie('value'), { maxLength: 5 }),
    ),
  })).value;
  fc.assert(
    fc.property(fc.constantFrom(...types), node, (type, value) => {
      const { content, body, file } = readContent({ type, [type]: value });
      return (
        body !== '' &&
        Value.Check(MessageContent, content) &&
        findUnstorable({ content, body, file }) === undefined
      );
    }),
    { numRuns: 500 },
  );
});
