/** The provider's limits of files: https://developers.facebook.com/docs/whatsapp/cloud-api/reference/media */
import t from 'tap';
import { findFileObstacle } from '../../../actors/chatapp/limits.ts';
import type { AttachmentKind } from '../../../protocol/resources/attachment.ts';

const megabyte = 1_048_576;

const largest: Readonly<Record<AttachmentKind, readonly [string, number]>> = {
  image: ['image/jpeg', 5 * megabyte],
  audio: ['audio/ogg; codecs=opus', 16 * megabyte],
  video: ['video/mp4', 16 * megabyte],
  document: ['application/x-anything', 100 * megabyte],
  sticker: ['image/webp', 512_000],
};

t.test('the largest file of each kind passes, and one byte more does not', t => {
  for (const [kind, [mimeType, sizeBytes]] of Object.entries(largest) as [
    AttachmentKind,
    [string, number],
  ][]) {
    t.equal(findFileObstacle({ kind, mimeType, sizeBytes }), undefined, kind);
    const obstacle = findFileObstacle({ kind, mimeType, sizeBytes: sizeBytes + 1 }, '/body/attachments/3');
    t.match(obstacle, {
      code: 'svc/validation/invalid_request',
      details: { issues: [{ path: '/body/attachments/3/sizeBytes', code: 'maximum' }] },
    });
  }
  t.end();
});
