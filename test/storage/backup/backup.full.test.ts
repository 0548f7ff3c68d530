/**
 * `npm run backup` and `npm run restore`: a backup is taken under load, the node and its folder are destroyed, and what the restored node
 * shows is held against everything that had been acknowledged before the backup's end.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { access, appendFile, cp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import t from 'tap';
import { nodeOptions } from '../../../.config/node-options.js';
import type { BackupManifest } from '../../../storage/backup/manifest.ts';
import { readEmbeddedUrl } from '../../../storage/embedded/index.ts';
import type { AttachmentLink, AttachmentUpload, Message, Thread } from '../../../protocol/resources/index.ts';
import { Client, Line } from '../../node/client.ts';
import { Senders } from '../../node/senders.ts';
import { signUp } from '../../node/tenant.ts';
import { eventually } from '../../support/eventually.ts';
import { checkHistory, nothingFound } from '../../support/history.ts';
import { moduleCacheEnvironment, moduleCacheOptions } from '../../support/module-cache-options.ts';
import { dataFolder, NodeProcess } from '../../support/node-process.ts';
import { withTimeLimit } from '../../support/time-limit.ts';

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** Runs the command of an operator to its end. `onStart`: gets its process, and may kill it. */
async function run(
  command: 'backup' | 'restore',
  dataDir: string,
  args: readonly string[],
  onStart: (child: ChildProcess) => void = () => undefined,
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const program = fileURLToPath(new URL(`../../../gateway/${command}.ts`, import.meta.url));
  const child = spawn(process.execPath, [...nodeOptions, ...moduleCacheOptions, program, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...moduleCacheEnvironment, DATA_DIR: dataDir, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  const closed = new Promise<number | null>(resolve => void child.once('close', resolve));
  onStart(child);
  return { code: await withTimeLimit(closed, `end of ${command}`), output };
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

const node = await NodeProcess.make(t);
await node.start();
const tenant = await signUp(new Line(node.url, t));
const senders = new Senders(tenant, 16);

const file = randomBytes(300_000);
const { attachmentId, uploadUrl } = await tenant.key.get<AttachmentUpload>('createAttachment', {
  body: {
    projectId: tenant.projectId,
    filename: 'photo.jpg',
    mimeType: 'image/jpeg',
    sizeBytes: file.length,
  },
});
await fetch(uploadUrl, { method: 'PUT', body: file });

const backup = join(await dataFolder(t), 'backup');
const readBackup = async (): Promise<BackupManifest> =>
  JSON.parse(await readFile(join(backup, 'manifest.json'), 'utf8')) as BackupManifest;

/** Of the database under a data folder, whose node runs. */
async function ask<Row extends pg.QueryResultRow>(dataDir: string, text: string): Promise<Row | undefined> {
  const client = new pg.Client({ connectionString: await readEmbeddedUrl(join(dataDir, 'postgres')) });
  await client.connect();
  try {
    const { rows } = await client.query<Row>(text);
    return rows[0];
  } finally {
    await client.end();
  }
}

const countSlots = async (): Promise<number> =>
  (await ask<{ count: number }>(node.folder, 'select count(*)::int as count from pg_replication_slots'))
    ?.count ?? -1;
const readEpoch = async (dataDir: string): Promise<string> =>
  (await ask<{ epoch: string }>(dataDir, 'select epoch from project_streams limit 1'))?.epoch ?? '';

t.test('a backup that is killed holds nothing up, and leaves nothing that looks like one', async t => {
  await senders.more(100);
  const { code } = await run('backup', node.folder, ['--to', backup], child => {
    void eventually('slot of the backup', async () => (await countSlots()) === 1).then(() =>
      child.kill('SIGKILL'),
    );
  });
  t.equal(code, null, 'it was killed');
  t.notOk(await exists(backup));
  await eventually('end of the slot', async () => (await countSlots()) === 0);
  await senders.more(16);
});

t.test(
  'under load, everything that was acknowledged before its end is restored, once and in order',
  async t => {
    const { code, output } = await run('backup', node.folder, ['--to', backup]);
    t.equal(code, 0, output);
    t.match(output, 'The backup is complete');
    await senders.more(100);
    await senders.stop();
    const { startedAt, endedAt } = await readBackup();
    const epoch = await readEpoch(node.folder);
    t.not(epoch, '');

    await node.kill();
    process.kill(await node.postmaster(), 'SIGKILL');
    await eventually('end of the database', async () => {
      await rm(node.folder, { recursive: true, force: true }).catch(() => undefined);
      return !(await exists(node.folder));
    });

    const DATA_DIR = await dataFolder(t);
    // At the last step, since nothing can be written.
    const failing = await run('restore', DATA_DIR, ['--from', backup], undefined, {
      PGOPTIONS: '-c default_transaction_read_only=on',
    });
    t.match(failing, { code: 1, output: 'read-only' });
    t.strictSame(await readdir(DATA_DIR), ['postgres'], 'neither keys nor attachments');
    t.notOk(await exists(join(DATA_DIR, 'postgres/data')), 'nor a database with the old epoch');
    const restored = await run('restore', DATA_DIR, ['--from', backup]);
    t.equal(restored.code, 0, restored.output);
    const again = await NodeProcess.make(t, { DATA_DIR });
    await again.start();
    t.not(await readEpoch(DATA_DIR), epoch, 'streams begin anew');
    const key = new Client(new Line(again.url, t), tenant.key.bearer);
    const { projectId } = tenant;

    const threads = await key.all<Thread>('listThreads', { query: { projectId } });
    const truth = new Map<string, string[]>();
    for (const { threadId } of threads) {
      const messages = await key.all<Message>('listMessages', { params: { threadId } });
      truth.set(
        threadId,
        messages.map(({ messageId, body }) => `${messageId} ${body}`),
      );
    }
    const end = Date.parse(endedAt) - performance.timeOrigin;
    const operations = senders.messages.map(({ sender, message, invokedAt, settledAt }) => ({
      client: `sender ${sender}`,
      actor: message.threadId,
      id: `${message.messageId} ${message.body}`,
      invokedAt,
      settledAt,
      outcome: settledAt < end ? ('ok' as const) : ('unknown' as const),
    }));
    t.strictSame(checkHistory({ operations }, truth), nothingFound);
    const start = Date.parse(startedAt) - performance.timeOrigin;
    const during = senders.messages.filter(({ settledAt }) => settledAt > start && settledAt < end).length;
    t.ok(during > 0, `${during} messages were acknowledged while it was taken`);
    t.ok(operations.some(({ outcome }) => outcome === 'unknown'));

    const link = await key.get<AttachmentLink>('getAttachmentUrl', { params: { attachmentId } });
    const answer = await fetch(link.url.replace(/^http:\/\/[^/]+/, again.url));
    t.strictSame(Buffer.from(await answer.arrayBuffer()), file, 'the attachment is there');
    t.match(await again.stop(), { code: 0 });

    const second = join(DATA_DIR, 'second');
    const offline = await run('backup', DATA_DIR, ['--to', second, '--without-keys']);
    t.equal(offline.code, 0, `of a node that is stopped: ${offline.output}`);
    t.notOk(await exists(join(second, 'keys.json')));
    t.match(await run('backup', DATA_DIR, ['--to', second]), { code: 64, output: 'exists' });
    t.match(await run('restore', DATA_DIR, ['--from', backup]), { code: 78, output: 'is there already' });
  },
);

t.test('what is damaged or incomplete is refused, and leaves no database', async t => {
  const damaged = join(await dataFolder(t), 'damaged');
  await cp(backup, damaged, { recursive: true });
  const [segment = ''] = await readdir(join(damaged, 'postgres/data/pg_wal'));
  await appendFile(join(damaged, 'postgres/data/pg_wal', segment), 'x');
  const target = await dataFolder(t);
  t.match(await run('restore', target, ['--from', damaged]), { code: 2, output: segment });
  t.notOk(await exists(join(target, 'postgres/data')));
  t.notOk(await exists(join(target, 'keys.json')));

  await rm(join(damaged, 'postgres/data/pg_wal', segment));
  t.match(await run('restore', target, ['--from', damaged]), { code: 2, output: 'is missing' });
  await rm(join(damaged, 'manifest.json'));
  t.match(await run('restore', target, ['--from', damaged]), { code: 64, output: 'it is no backup' });
  t.match(await run('restore', target, []), { code: 64, output: 'Usage' });
});
