/** Files that a chat provider had: rows of attachments that a message owns from the beginning. */
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import { LimitReached } from '../../../runtime/actor/index.ts';
import {
  announceFetched,
  claimUpload,
  completeUpload,
  dropFetched,
  findAttachments,
} from '../../../storage/media/attachments.ts';
import { defaultLimits } from '../../../storage/writes/limits.ts';
import { startTestDatabase } from '../../support/database.ts';

const { database } = await startTestDatabase(t);
const now = Date.parse('2026-11-20T12:00:00Z');

/** A file that a message awaits, as it is announced. */
async function awaited() {
  const scope = { projectId: newId('project'), environmentId: newId('environment') };
  const attachmentId = newId('attachment');
  const messageId = newId('message');
  await database.query(
    `insert into chatapp_files (attachment_id, project_id, environment_id, channel_id, thread_id, message_id, provider_media_id, mime_type,
       created_at, next_at) values ($1, $2, $3, $4, $5, $6, '17', 'image/png', $7, $7)`,
    [
      attachmentId,
      scope.projectId,
      scope.environmentId,
      newId('channel'),
      newId('thread'),
      messageId,
      new Date(now),
    ],
  );
  const file = { ...scope, attachmentId, filename: 'image.png', mimeType: 'image/png', sizeBytes: 3, now };
  const find = async () => (await findAttachments(database, scope, [attachmentId]))[0];
  return { file, messageId, find };
}

t.test('a file that was fetched is the message’s, and is announced as often as it is fetched', async t => {
  const { file, messageId, find } = await awaited();
  await announceFetched(database, file, defaultLimits);
  await announceFetched(database, { ...file, sizeBytes: 4 }, defaultLimits);
  t.match(await find(), { status: 'pending', messageId, sizeBytes: 4, filename: 'image.png' });
  const upload = await claimUpload(database, file.attachmentId, now);
  if (upload === undefined) return t.fail('it was not claimed');
  t.ok(await completeUpload(database, upload, Buffer.alloc(32), now));
  await announceFetched(database, { ...file, sizeBytes: 5 }, defaultLimits);
  await dropFetched(database, file, now);
  t.match(await find(), { status: 'stored', sizeBytes: 4 }, 'what is stored stays as it is');
});

t.test(
  'one that nobody awaits is not announced, nor one of another tenant, nor one that was dropped',
  async t => {
    const { file, find } = await awaited();
    await announceFetched(database, { ...file, projectId: newId('project') }, defaultLimits);
    t.equal(await find(), undefined);
    await announceFetched(database, file, defaultLimits);
    await dropFetched(database, file, now);
    await announceFetched(database, file, defaultLimits);
    t.match(await find(), { status: 'erased' });
    const other = await awaited();
    await database.query('delete from chatapp_files where attachment_id = $1', [other.file.attachmentId]);
    await announceFetched(database, other.file, defaultLimits);
    t.equal(await other.find(), undefined);
  },
);

t.test('a tenant has no more bytes than it may have', async t => {
  const { file, find } = await awaited();
  const announced = announceFetched(database, file, { ...defaultLimits, environmentBytes: 2 });
  await t.rejects(announced, new LimitReached('environmentBytes', 2));
  t.equal(await find(), undefined);
});
