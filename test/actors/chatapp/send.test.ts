/** Messages as the provider is asked for them. */
import t from 'tap';
import { createSendRequest, type OutgoingMessage, toRecipient } from '../../../actors/chatapp/send.ts';
import type { MessageAttachment } from '../../../protocol/resources/attachment.ts';
import type { MessageContent } from '../../../protocol/resources/content.ts';

const messageId = 'msg_1';
const common = {
  messaging_product: 'whatsapp',
  recipient_type: 'individual',
  to: '15550100',
  biz_opaque_callback_data: messageId,
};

function ask(content: MessageContent | undefined, more: Partial<OutgoingMessage> = {}): object {
  return createSendRequest({
    messageId,
    to: { to: '15550100' },
    body: 'Hello',
    attachment: undefined,
    media: undefined,
    targetId: undefined,
    content,
    ...more,
  });
}

t.test('each type of content has its node', async t => {
  const text = { ...common, type: 'text', text: { body: 'Hello' } };
  t.strictSame(ask(undefined), text);
  t.strictSame(ask({ type: 'text', preview: true }), { ...text, text: { body: 'Hello', preview_url: true } });
  t.strictSame(ask(undefined, { targetId: 'wamid.1' }), { ...text, context: { message_id: 'wamid.1' } });
  t.strictSame(ask({ type: 'location', latitude: 52.5, longitude: 13.4, name: 'Office', address: null }), {
    ...common,
    type: 'location',
    location: { latitude: 52.5, longitude: 13.4, name: 'Office' },
  });
  t.strictSame(
    ask({
      type: 'contacts',
      contacts: [{ name: 'Ada', phones: [{ phone: '+1 555 0100', type: null }], organization: 'Acme' }],
    }),
    {
      ...common,
      type: 'contacts',
      contacts: [
        {
          name: { formatted_name: 'Ada', first_name: 'Ada' },
          phones: [{ phone: '+1 555 0100' }],
          org: { company: 'Acme' },
        },
      ],
    },
  );
  const to = { messageId: null, externalMessageId: null };
  const reaction = (emoji: string | null) => ask({ type: 'reaction', emoji, to }, { targetId: 'wamid.1' });
  t.strictSame(reaction('👍'), {
    ...common,
    type: 'reaction',
    reaction: { message_id: 'wamid.1', emoji: '👍' },
  });
  t.match(reaction(null), { reaction: { emoji: '' } }, 'taken back');
  const components = [{ type: 'body', parameters: [{ type: 'text', text: 'Ada' }] }];
  t.strictSame(ask({ type: 'template', name: 'welcome', language: 'en_US', components }), {
    ...common,
    type: 'template',
    template: { name: 'welcome', language: { code: 'en_US' }, components },
  });
});

t.test('a file has its caption and its name where the provider shows them', async t => {
  const send = (attachment: MessageAttachment, content?: MessageContent) =>
    ask(content, { attachment, media: { id: '1' } });
  t.match(send({ kind: 'image' }), { type: 'image', image: { id: '1', caption: 'Hello' } }, 'of the body');
  t.strictSame(send({ kind: 'image' }, { type: 'media', kind: 'image', caption: null }), {
    ...common,
    type: 'image',
    image: { id: '1' },
  });
  t.match(
    send({ kind: 'document', filename: 'a.pdf' }, { type: 'media', kind: 'document', caption: 'Read' }),
    {
      document: { id: '1', caption: 'Read', filename: 'a.pdf' },
    },
  );
  t.strictSame(send({ kind: 'audio', filename: 'a.ogg' }), { ...common, type: 'audio', audio: { id: '1' } });
  const link = { link: 'https://files.test/1' };
  t.match(ask(undefined, { attachment: { kind: 'video' }, media: link }), { type: 'video', video: link });
});

t.test('the participant is the phone number, or else the id of a user who hides it', async t => {
  t.same(toRecipient('15550100'), { to: '+15550100' });
  t.same(toRecipient('US.13491208655302741918'), { recipient: 'US.13491208655302741918' });
  t.same(toRecipient('15550100', { phone: '15550199', userId: 'US.1' }), { to: '15550199' }, 'a new number');
  t.same(toRecipient('15550100', { userId: 'US.1' }), { recipient: 'US.1' });
  t.equal(toRecipient(null), undefined, 'erased');
});
