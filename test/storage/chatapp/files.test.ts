/** Files on their way from the chat provider, and those that it has taken: who fetches one, when, and what it is called there. */
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import {
  channelsWithFiles,
  claimFiles,
  dropFile,
  findUpload,
  keepUpload,
  nextFileAt,
  postponeFile,
} from '../../../storage/chatapp/files.ts';
import { startTestDatabase } from '../../support/database.ts';

const { database } = await startTestDatabase(t);
const now = Date.parse('2026-11-20T12:00:00Z');
const scope = { projectId: newId('project'), environmentId: newId('environment') };

/** A file that is due at that time; gives its attachment's id. */
async function addFile(channelId: string, at: number): Promise<string> {
  const attachmentId = newId('attachment');
  await database.query(
    `insert into chatapp_files (attachment_id, project_id, environment_id, channel_id, thread_id, message_id, provider_media_id, mime_type,
       created_at, next_at) values ($1, $2, $3, $4, $5, $6, '17', 'image/png', $7, $7)`,
    [
      attachmentId,
      scope.projectId,
      scope.environmentId,
      channelId,
      newId('thread'),
      newId('message'),
      new Date(at),
    ],
  );
  return attachmentId;
}

const claim = (channelId: string, at = now, limit = 10) =>
  claimFiles(database, { channelId, now: at, until: at + 60_000, limit });

t.test('a file is claimed by one, the longest due first, and again when the claim has ended', async t => {
  const channelId = newId('channel');
  const second = await addFile(channelId, now - 1_000);
  const first = await addFile(channelId, now - 2_000);
  await addFile(channelId, now + 1_000);
  t.match(await claim(channelId, now, 1), [
    { ...scope, attachmentId: first, channelId, providerMediaId: '17', mimeType: 'image/png', attempts: 1 },
  ]);
  const both = await Promise.all([claim(channelId), claim(channelId)]);
  t.strictSame(
    both.flat().map(({ attachmentId }) => attachmentId),
    [second],
  );
  t.equal(await nextFileAt(database, channelId), now + 1_000);
  t.match(await claim(channelId, now + 60_000, 1), [{ attempts: 1 }]);
  t.equal((await claim(channelId, now + 60_000)).length, 2, 'both claims have ended');
  t.equal(await nextFileAt(database, newId('channel')), undefined);
});

t.test('one that could not be fetched is due again later; one whose message is gone never', async t => {
  const channelId = newId('channel');
  const attachmentId = await addFile(channelId, now);
  await claim(channelId);
  const file = { ...scope, attachmentId };
  const foreign = { ...file, projectId: newId('project') };
  await postponeFile(database, foreign, { at: now, attempts: 0 });
  await dropFile(database, foreign);
  await postponeFile(database, file, { at: now + 5_000, attempts: 0 });
  t.strictSame(await claim(channelId, now + 4_999), []);
  t.match(await claim(channelId, now + 5_000), [{ attempts: 1 }], 'that attempt did not count');
  await dropFile(database, file);
  t.equal(await nextFileAt(database, channelId), undefined);
});

t.test('channels with files that are due are found, page by page', async t => {
  const channels = [newId('channel'), newId('channel'), newId('channel')].sort();
  for (const channelId of channels) for (const _ of [1, 2]) await addFile(channelId, now);
  const later = newId('channel');
  await addFile(later, Date.now() + 3_600_000);
  const found: string[] = [];
  for (let page = await channelsWithFiles(database, 2); page.length > 0;) {
    found.push(...page);
    page = await channelsWithFiles(database, 2, page.at(-1));
  }
  t.ok(channels.every(channelId => found.filter(each => each === channelId).length === 1));
  t.notOk(found.includes(later));
});

t.test('a file that was uploaded has its name at the provider, by number, until it expires', async t => {
  const key = { phoneNumberId: '1', attachmentId: newId('attachment') };
  t.equal(await findUpload(database, key, now), undefined);
  await keepUpload(database, { ...key, providerMediaId: 'a', expiresAt: now + 1_000 });
  await keepUpload(database, { ...key, providerMediaId: 'b', expiresAt: now + 2_000 });
  t.equal(await findUpload(database, key, now + 1_999), 'b', 'the later one');
  t.equal(await findUpload(database, key, now + 2_000), undefined);
  t.equal(await findUpload(database, { ...key, phoneNumberId: '2' }, now), undefined);
});
