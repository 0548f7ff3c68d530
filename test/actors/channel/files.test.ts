/** When files of participants are fetched, how often, and what becomes of those that cannot be: on a real database, with a real provider. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import t, { type Test } from 'tap';
import { nameProcessStart, removeLeftFolders } from '../../../actors/channel/file-folders.ts';
import { fetchFiles } from '../../../actors/channel/files.ts';
import { InFlight } from '../../../actors/channel/in-flight.ts';
import { ChannelTurns, maxFiles } from '../../../actors/channel/turns.ts';
import { Graph } from '../../../actors/chatapp/graph.ts';
import { newId } from '../../../protocol/ids.ts';
import type { ActorRef } from '../../../runtime/actor/actor.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { systemClock } from '../../../runtime/time/clock.ts';
import { findAttachments } from '../../../storage/media/attachments.ts';
import { defaultLimits } from '../../../storage/writes/limits.ts';
import { ChatappProvider } from '../../support/chatapp-provider/index.ts';
import { startTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
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

type Tenant = typeof scope;

async function addChannel({ projectId, environmentId }: Tenant, status: 'connected' | 'error') {
  const channelId = newId('channel');
  const connection = { phoneNumberId: number.id, accessToken: 'sealed' };
  await database.query(
    `insert into channels (channel_id, project_id, environment_id, name, kind, status, chatapp, metadata, created_at, updated_at, state, version)
     values ($1, $2, $3, 'Chat', 'chatapp', $4, $5, '{}', now(), now(), '{}', 1)`,
    [channelId, projectId, environmentId, status, JSON.stringify({ connection })],
  );
  return channelId;
}

/** A file that is due at that time. */
async function addFile({ projectId, environmentId }: Tenant, channelId: string, at: number) {
  const attachmentId = newId('attachment');
  const media = provider.media.add(Buffer.from('a,b'), 'text/csv');
  await database.query(
    `insert into chatapp_files (attachment_id, project_id, environment_id, channel_id, thread_id, message_id, provider_media_id, mime_type,
       created_at, next_at) values ($1, $2, $3, $4, $5, $6, $7, 'text/csv', $8, $8)`,
    [
      attachmentId,
      projectId,
      environmentId,
      channelId,
      newId('thread'),
      newId('message'),
      media.id,
      new Date(at),
    ],
  );
  return { attachmentId, mediaId: media.id };
}

/** The machine's temporary folder, for one test. */
function useTemporaryFolder(t: Test): string {
  const { TMPDIR } = process.env;
  const folder = t.testdir({});
  process.env['TMPDIR'] = folder;
  t.teardown(() => {
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
  });
  return folder;
}

/** What a node gives to the tasks. */
function createServices(now: () => number) {
  const asked: string[] = [];
  const store = { isDown: false };
  const abandoned = new AbortController();
  const services = {
    db: database,
    graph: new Graph({ url: provider.url, version: 'v25.0' }),
    pool: pool.queue,
    media: {
      put: (_file: object, source: Readable) =>
        store.isDown ? Promise.reject(new Error('the store is down')) : read(source),
      remove: () => Promise.resolve(),
      requireRoom: () => Promise.resolve(),
    },
    limits: defaultLimits,
    clock: systemClock,
    inFlight: new InFlight(),
    turns: new ChannelTurns(),
    projectId: scope.projectId,
    log: silentLog,
    vault: { open: () => Promise.resolve(token) },
    ownApp: undefined,
    abandoned: abandoned.signal,
    ask: (_to: ActorRef, command: string) => Promise.resolve(void asked.push(command)),
    now,
  };
  return { services, asked, store, abandoned };
}

/** As the task does it: with a turn. */
function work(services: ReturnType<typeof createServices>['services'], channelId: string) {
  const { tasks } = services.turns;
  return tasks.files.run(services.projectId, undefined, () => fetchFiles(services, channelId));
}

/** A channel with a file that is due, and a node that works for it. */
async function awaiting(status: 'connected' | 'error' = 'connected') {
  const start = Date.now();
  const channelId = await addChannel(scope, status);
  const { attachmentId, mediaId } = await addFile(scope, channelId, start);
  let now = start;
  const { services, asked, store } = createServices(() => now);
  return {
    mediaId,
    asked,
    /** Works at that time after the message; gives when there is more to do, and how often the file was tried. */
    async workAt(ms: number) {
      now = start + ms;
      let { nextAt } = await work(services, channelId);
      // It waits two seconds for its files. On a busy machine they may take longer; what was not due since is not fetched.
      const late = services.inFlight.list(channelId);
      if (late.length > 0) {
        await Promise.all(late);
        ({ nextAt } = await work(services, channelId));
      }
      const query = 'select attempts from chatapp_files where attachment_id = $1';
      const [row] = await database.query<{ attempts: number }>(query, [attachmentId]);
      return { nextAt: nextAt === undefined ? undefined : nextAt - start, attempts: row?.attempts };
    },
    breakStore: (isDown: boolean) => (store.isDown = isDown),
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

t.test('and is given up when the provider has it no more, with what was announced of it', async t => {
  const file = await awaiting();
  file.breakStore(true);
  const times = [0];
  for (let attempts = 0; attempts < 100; attempts++) {
    const { nextAt } = await file.workAt(times.at(-1) ?? 0);
    if (nextAt === undefined) break;
    times.push(nextAt);
  }
  t.ok(times.length < 100 && (times.at(-1) ?? 0) >= 7 * day, `${times.length} attempts`);
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

t.test('however many channels there are, a node has eight files in its temporary folder', async t => {
  const temporary = useTemporaryFolder(t);
  const { services, abandoned } = createServices(() => Date.now());
  const tenants = [1, 2, 3].map(() => ({
    projectId: newId('project'),
    environmentId: newId('environment'),
  }));
  const channels = await Promise.all(tenants.map(tenant => addChannel(tenant, 'connected')));
  for (const [i, tenant] of tenants.entries()) {
    for (let n = 0; n < maxFiles; n++) {
      const { mediaId } = await addFile(tenant, channels[i] ?? '', Date.now());
      provider.faults.script(mediaId, { kind: 'hang' });
    }
  }
  const tasks = channels.map(channelId => work(services, channelId));
  // Of the permits that are free no project takes more than half: who comes first decides whether six are taken or seven.
  await eventually('full folder', async () => (await readdir(temporary)).length >= 6);
  await Promise.all(tasks);
  t.equal(services.inFlight.size, 24, 'all of them are on their way');
  const here = await readdir(temporary);
  t.ok(here.length <= maxFiles, `${here.length} files`);
  await removeLeftFolders(silentLog);
  t.ok((await readdir(temporary)).length >= here.length, 'which nobody has left');

  const counted = async (): Promise<number[]> => {
    const rows = await database.query<{ attempts: number; files: number }>(
      `select attempts, count(*)::int as files from chatapp_files where channel_id = any ($1::text[]) group by attempts order by attempts`,
      [channels],
    );
    return rows.flatMap(({ attempts, files }) => [attempts, files]);
  };
  t.strictSame(await counted(), [1, 24]);
  const { taken } = services.turns.files;
  abandoned.abort();
  await Promise.all(channels.flatMap(channelId => services.inFlight.list(channelId)));
  t.strictSame(await counted(), [0, 24 - taken, 1, taken], 'for those without room it was no attempt');
  t.strictSame(await readdir(temporary), []);
  t.equal(services.turns.files.taken, 0);
});

t.test('what a process has left that was killed is removed, and what another uses stays', async t => {
  const temporary = useTemporaryFolder(t);
  const { pid: gone } = spawnSync(process.execPath, ['--version']);
  const used = `skein-file-${process.ppid}-${(await nameProcessStart(process.ppid)) ?? '0'}-cc`;
  const names = [
    `skein-file-${gone}-0-aa`,
    // The process that has made it had the number of this one.
    `skein-file-${process.pid}-0-bb`,
    'skein-file-AbCdEf',
    'skein-other',
    used,
  ];
  for (const name of names) {
    await mkdir(join(temporary, name));
    await writeFile(join(temporary, name, 'bytes'), 'personal');
  }
  await removeLeftFolders(silentLog);
  t.strictSame((await readdir(temporary)).sort(), [used, 'skein-other']);
});
