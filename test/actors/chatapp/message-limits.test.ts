/** What the provider would refuse is refused first. */
import t from 'tap';
import type { MessageContent } from '../../../protocol/resources/content.ts';
import { findMessageObstacle } from '../../../actors/chatapp/message-limits.ts';

const image = { kind: 'image' } as const;

t.test('a text has 4,096 characters at most, and a caption 1,024', async t => {
  const text = (length: number) => findMessageObstacle({ body: '😀'.repeat(length), attachments: [] });
  t.equal(text(4_096), undefined, 'as the provider counts');
  t.match(text(4_097), {
    code: 'svc/validation/invalid_request',
    details: { maxLength: 4_096, issues: [{ path: '/body/body', code: 'maxLength' }] },
  });
  const caption = (length: number) => findMessageObstacle({ body: 'x'.repeat(length), attachments: [image] });
  t.equal(caption(1_024), undefined);
  t.match(caption(1_025), { details: { maxLength: 1_024 } });
  const content = { type: 'media', kind: 'image', caption: null } as const;
  t.equal(
    findMessageObstacle({ body: 'x'.repeat(2_000), attachments: [image], content }),
    undefined,
    'the body is not sent',
  );
});

t.test('one file with a message, and no text with a file that shows none', async t => {
  t.match(findMessageObstacle({ body: '', attachments: [image, image] }), {
    details: { issues: [{ path: '/body/attachments', code: 'maxItems' }] },
  });
  const sticker = { kind: 'sticker' } as const;
  t.match(findMessageObstacle({ body: 'Hello', attachments: [sticker] }), {
    details: { issues: [{ path: '/body/body', code: 'caption' }] },
  });
  const content = { type: 'media', kind: 'sticker', caption: null } as const;
  t.equal(findMessageObstacle({ body: '[Sticker]', attachments: [sticker], content }), undefined);
});

t.test('nothing is lost beside a content that the provider shows alone', async t => {
  const content = { type: 'location', latitude: 52.5, longitude: 13.4 } as const;
  const body = '[Location] 52.5, 13.4';
  t.equal(findMessageObstacle({ body, attachments: [], content }), undefined);
  t.match(findMessageObstacle({ body: 'Here', attachments: [], content }), {
    details: { issues: [{ path: '/body/body', code: 'content' }] },
  });
  t.match(findMessageObstacle({ body, attachments: [image], content }), {
    details: { issues: [{ path: '/body/attachments', code: 'content' }] },
  });
  const template: MessageContent = { type: 'template', name: 'hello', language: 'de', components: [] };
  t.equal(findMessageObstacle({ body: 'Hello Ada', attachments: [], content: template }), undefined);
});
