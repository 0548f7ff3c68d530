/** Rows of files: those that a chat provider had, which a message owns from the beginning, and those that the sweep removes. */
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import { LimitReached } from '../../../runtime/actor/index.ts';
import {
  announceFetched,
  claimUpload,
  completeUpload,
  dropFetched,
  findAttachments,
  releaseUpload,
  type Upload,
} from '../../../storage/media/attachments.ts';
import { MediaSweeper } from '../../../storage/media/sweep-media.ts';
import { defaultLimits } from '../../../storage/writes/limits.ts';
import { startTestDatabase } from '../../support/database.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

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

/** Claims it for an upload; what is removed of the store then is in `removed`. */
async function claim(file: Awaited<ReturnType<typeof awaited>>['file'], at = now) {
  const upload = await claimUpload(database, file, at);
  if (upload === undefined) throw new Error('it was not claimed');
  const removed: string[] = [];
  const media = { remove: (key: string) => Promise.resolve(void removed.push(key)) };
  const complete = (by: Upload) => completeUpload(database, media, by, Buffer.alloc(32), at);
  return { upload, complete, removed };
}

t.test('a file that was fetched is the message’s, and is announced as often as it is fetched', async t => {
  const { file, messageId, find } = await awaited();
  await announceFetched(database, file, defaultLimits);
  await announceFetched(database, { ...file, sizeBytes: 4 }, defaultLimits);
  t.match(await find(), { status: 'pending', messageId, sizeBytes: 4, filename: 'image.png' });
  const { upload, complete } = await claim(file);
  t.equal(await complete(upload), 'stored');
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

/** Files named `file-0000` and so on, which belong to no message. */
async function addFiles(count: number, status: 'pending' | 'erased'): Promise<readonly string[]> {
  await database.query('delete from attachments');
  const rows = await database.query<{ id: string }>(
    `insert into attachments (attachment_id, project_id, environment_id, status, filename, mime_type, size_bytes, storage_key, created_at)
     select 'file-' || lpad(n::text, 4, '0'), 'prj_1', 'env_1', $2, 'f', 'text/plain', 1, 'key-' || lpad(n::text, 4, '0'), $3
     from generate_series(0, $1::int - 1) n returning attachment_id as id`,
    [count, status, new Date(now)],
  );
  return rows.map(({ id }) => id);
}

async function listFiles(): Promise<readonly string[]> {
  const rows = await database.query<{ id: string }>('select attachment_id as id from attachments order by 1');
  return rows.map(({ id }) => id);
}

/** A store that says what it was asked to remove. */
function createStore(remove: (key: string) => Promise<void> = () => Promise.resolve()) {
  const asked: string[] = [];
  const media = {
    remove: (key: string) => {
      asked.push(key);
      return remove(key);
    },
  };
  return { asked, media };
}

t.test('a store that refuses to remove fails the sweep, and keeps the rows', async t => {
  const files = await addFiles(1_000, 'erased');
  const { media, asked } = createStore(() => Promise.reject(new Error('AccessDenied')));
  const sweeping = new MediaSweeper({ database, media }).sweep(now);
  await t.rejects(sweeping, {
    message: '1000 erased files could not be removed',
    cause: { message: 'AccessDenied' },
  });
  t.equal(asked.length, 1_000, 'none of them kept another from its turn');
  t.strictSame(await listFiles(), files);
});

t.test('a store that does not answer is not waited for, and the next sweep goes on behind it', async t => {
  const files = await addFiles(1_000, 'erased');
  const clock = new VirtualClock();
  const allAsked = Promise.withResolvers<undefined>();
  let hangs = true;
  const { media, asked } = createStore(() => {
    if (asked.length === 8) allAsked.resolve(undefined);
    return hangs ? new Promise(() => undefined) : Promise.resolve();
  });
  const sweeper = new MediaSweeper({ database, media, clock });
  const failing = sweeper.sweep(now);
  const failed = t.rejects(failing, { message: '8 erased files could not be removed' });
  await allAsked.promise;
  await clock.advance(25_000);
  await failed;
  t.equal(asked.length, 8, 'so many at a time');
  t.strictSame(await listFiles(), files);

  hangs = false;
  await sweeper.sweep(now);
  t.equal(asked[8], 'key-0008');
  t.strictSame(await listFiles(), files.slice(0, 8));
  await sweeper.sweep(now);
  t.strictSame(await listFiles(), [], 'they had their turn again');
  t.equal(clock.pending, 0);
});

t.test('a sweep begins no removal after twenty seconds, nor for a node that is not to do it', async t => {
  const files = await addFiles(30, 'erased');
  const { media, asked } = createStore();
  // Each removal takes a second.
  const clock = { monotonic: () => asked.length * 1_000, after: () => ({ cancel: () => undefined }) };
  await new MediaSweeper({ database, media, clock }).sweep(now);
  t.equal(asked.length, 20);
  t.strictSame(await listFiles(), files.slice(20), 'those that were begun are done');
  const other = createStore();
  await new MediaSweeper({ database, media: other.media }).sweep(now, undefined, () => false);
  t.strictSame(other.asked, []);
});

t.test('the store is not asked for files that nobody began to upload', async t => {
  const [claimed = '', released = ''] = await addFiles(3, 'pending');
  const later = now + 3_600_001;
  const inScope = { projectId: 'prj_1', environmentId: 'env_1' };
  await claimUpload(database, { ...inScope, attachmentId: claimed }, now);
  const upload = await claimUpload(database, { ...inScope, attachmentId: released }, now);
  if (upload === undefined) return t.fail('it was not claimed');
  await releaseUpload(database, upload);
  const { media, asked } = createStore();
  const sweeper = new MediaSweeper({ database, media });
  await sweeper.sweep(now + 3_599_999);
  t.equal((await listFiles()).length, 3, 'not before an hour has passed');
  await sweeper.sweep(later);
  const names = asked.map(key => key.replace(/-[0-9a-f]{12}$/, '')).sort();
  t.strictSame(names, ['prj_1/env_1/file-0000', 'prj_1/env_1/file-0001'], 'of these a part may be there');
  t.strictSame(await listFiles(), []);
});

t.test('an upload that outlives its claim does not touch what another one has stored', async t => {
  const { file, find } = await awaited();
  await announceFetched(database, file, defaultLimits);
  const first = await claim(file);
  t.equal(await claimUpload(database, file, now + 600_000), undefined, 'not before the claim has ended');
  const second = await claim(file, now + 600_001);
  t.not(first.upload.storageKey, second.upload.storageKey);
  t.equal(await first.complete(first.upload), 'taken', 'while the other is being put');
  t.equal(await second.complete(second.upload), 'stored');
  t.equal(await first.complete(first.upload), 'taken', 'and when it is stored');
  t.strictSame(first.removed, [first.upload.storageKey, first.upload.storageKey]);
  t.match(await find(), { status: 'stored', storageKey: second.upload.storageKey });
  const { media, asked } = createStore();
  await new MediaSweeper({ database, media }).sweep(now);
  t.ok(asked.includes(first.upload.storageKey), 'also where the first one never ends');
});

t.test('what was put of a file that was erased meanwhile is removed', async t => {
  const { file } = await awaited();
  await announceFetched(database, file, defaultLimits);
  const { upload, complete, removed } = await claim(file);
  await dropFetched(database, file, now);
  t.equal(await complete(upload), 'erased');
  await database.query('delete from attachments where attachment_id = $1', [file.attachmentId]);
  t.equal(await complete(upload), 'erased', 'also where its row is gone');
  t.strictSame(removed, [upload.storageKey, upload.storageKey]);
});

t.test('another tenant claims, completes and releases nothing', async t => {
  const { file, find } = await awaited();
  await announceFetched(database, file, defaultLimits);
  const { projectId } = (await awaited()).file;
  t.equal(await claimUpload(database, { ...file, projectId }, now), undefined);
  const { upload, complete } = await claim(file);
  await releaseUpload(database, { ...upload, projectId });
  t.equal(await claimUpload(database, file, now), undefined, 'it is claimed still');
  await complete({ ...upload, projectId });
  t.match(await find(), { status: 'pending' });
  t.equal(await complete(upload), 'stored');
});
