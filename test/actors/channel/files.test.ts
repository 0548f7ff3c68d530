/** When files of participants are fetched, how often, and what becomes of those that cannot be: on a real database, with a real provider. */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import t from 'tap';
import { fetchFiles } from '../../../actors/channel/files.ts';
import { InFlight } from '../../../actors/channel/in-flight.ts';
import { Graph } from '../../../actors/chatapp/graph.ts';
import { newId } from '../../../protocol/ids.ts';
import type { ActorRef } from '../../../runtime/actor/actor.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { systemClock } from '../../../runtime/time/clock.ts';
import { findAttachments } from '../../../storage/media/attachments.ts';
import { defaultLimits } from '../../../storage/writes/limits.ts';
import { ChatappProvider } from '../../support/chatapp-provider/index.ts';
import { startTestDatabase } from '../../support/database.ts';
import { OneOwnerPool } from '../../support/one-owner-pool.ts';

const { database } = await startTestDatabase(t);
const provider = await ChatappProvider.start();
t.teardown(() => provider.stop());
const pool = new OneOwnerPool({ reach: 'public' });
t.teardown(() => pool.drain());
const account = provider.accounts.addAccount();
const number = provider.accounts.addNumber(account);
const token = provider.accounts.addToken(provider.accounts.addApp(), account).value;
const scope = { projectId: newId('project'), environmentId: newId('environment') };
const minute = 60_000;
const day = 86_400_000;

/** Drained to its end, as a store does. */
async function read(source: Readable): Promise<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of source) hash.update(chunk as Buffer);
  return hash.digest();
}

/** A channel with a file that is due, and a node that works for it. */
async function awaiting(status: 'connected' | 'error' = 'connected') {
  const channelId = newId('channel');
  const connection = { phoneNumberId: number.id, accessToken: 'sealed' };
  await database.query(
    `insert into channels (channel_id, project_id, environment_id, name, kind, status, chatapp, metadata, created_at, updated_at, state, version)
     values ($1, $2, $3, 'Chat', 'chatapp', $4, $5, '{}', now(), now(), '{}', 1)`,
    [channelId, scope.projectId, scope.environmentId, status, JSON.stringify({ connection })],
  );
  const start = Date.now();
  const attachmentId = newId('attachment');
  const media = provider.media.add(Buffer.from('a,b'), 'text/csv');
  await database.query(
    `insert into chatapp_files (attachment_id, project_id, environment_id, channel_id, thread_id, message_id, provider_media_id, mime_type,
       created_at, next_at) values ($1, $2, $3, $4, $5, $6, $7, 'text/csv', $8, $8)`,
    [
      attachmentId,
      scope.projectId,
      scope.environmentId,
      channelId,
      newId('thread'),
      newId('message'),
      media.id,
      new Date(start),
    ],
  );
  let now = start;
  const asked: string[] = [];
  const removed: string[] = [];
  let isStoreDown = false;
  const services = {
    db: database,
    graph: new Graph({ url: provider.url, version: 'v25.0' }),
    pool: pool.queue,
    media: {
      put: (_file: object, source: Readable) =>
        isStoreDown ? Promise.reject(new Error('the store is down')) : read(source),
      remove: (key: string) => Promise.resolve(void removed.push(key)),
      requireRoom: () => Promise.resolve(),
    },
    limits: defaultLimits,
    clock: systemClock,
    inFlight: new InFlight(),
    log: silentLog,
    vault: { open: () => Promise.resolve(token) },
    ownApp: undefined,
    abandoned: new AbortController().signal,
    ask: (_to: ActorRef, command: string) => Promise.resolve(void asked.push(command)),
    now: () => now,
  };
  return {
    mediaId: media.id,
    asked,
    /** Works at that time after the message; gives when there is more to do, and how often the file was tried. */
    async workAt(ms: number) {
      now = start + ms;
      let { nextAt } = await fetchFiles(services, channelId);
      // It waits two seconds for its files. On a busy machine they may take longer; what was not due since is not fetched.
      const late = services.inFlight.list(channelId);
      if (late.length > 0) {
        await Promise.all(late);
        ({ nextAt } = await fetchFiles(services, channelId));
      }
      const query = 'select attempts from chatapp_files where attachment_id = $1';
      const [row] = await database.query<{ attempts: number }>(query, [attachmentId]);
      return { nextAt: nextAt === undefined ? undefined : nextAt - start, attempts: row?.attempts };
    },
    breakStore: (isDown: boolean) => (isStoreDown = isDown),
    find: async () => (await findAttachments(database, scope, [attachmentId]))[0],
  };
}

t.test('what fails for a while is tried again, the later the longer it lasts', async t => {
  const file = await awaiting();
  provider.faults.script(file.mediaId, { kind: 'html' }, { kind: 'error', code: 131_000 }, { kind: 'lost' });
  t.strictSame(await file.workAt(0), { nextAt: 5_000, attempts: 1 });
  t.strictSame(await file.workAt(4_999), { nextAt: 5_000, attempts: 1 }, 'not before its time');
  t.strictSame(await file.workAt(5_000), { nextAt: 20_000, attempts: 2 });
  t.strictSame(await file.workAt(20_000), { nextAt: 65_000, attempts: 3 });
  file.breakStore(true);
  t.strictSame(await file.workAt(65_000), { nextAt: 200_000, attempts: 4 }, 'the store, too');
  t.match(await file.find(), { status: 'pending', sizeBytes: 3 });
  file.breakStore(false);
  t.strictSame(await file.workAt(200_000), { nextAt: undefined, attempts: undefined });
  t.match(await file.find(), { status: 'stored', sizeBytes: 3 });
});

t.test('and is given up in the end, with what was announced of it', async t => {
  const file = await awaiting();
  file.breakStore(true);
  let at: number | undefined = 0;
  let attempts = 0;
  for (; at !== undefined && attempts < 100; attempts++) at = (await file.workAt(at)).nextAt;
  t.equal(attempts, 12);
  t.match(await file.find(), { status: 'erased' });
});

t.test('without a connection a file waits as long as the provider has it, and no attempt counts', async t => {
  const file = await awaiting('error');
  t.strictSame(await file.workAt(0), { nextAt: 5 * minute, attempts: 0 });
  t.strictSame(await file.workAt(6 * day), { nextAt: 6 * day + 5 * minute, attempts: 0 });
  t.strictSame(await file.workAt(7 * day), { nextAt: undefined, attempts: undefined });
  t.equal(await file.find(), undefined);
});

t.test('a token that is refused is the channel’s matter', async t => {
  const file = await awaiting();
  provider.faults.script(file.mediaId, { kind: 'error', code: 190 });
  t.strictSame(await file.workAt(0), { nextAt: 5 * minute, attempts: 0 });
  t.strictSame(file.asked, ['lookAtCredentials']);
});
