import t from 'tap';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { openDatabase } from '../../../storage/database/database.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { findAccount } from '../../../storage/embedded/account.ts';
import { findBinaries, installedBinaries, runAs } from '../../../storage/embedded/binaries.ts';
import { readAccess, toSuperuserUrl } from '../../../storage/embedded/cluster.ts';
import { readProcessStart } from '../../../storage/embedded/process.ts';
import { readEmbeddedUrl, startEmbedded } from '../../../storage/embedded/start.ts';
import { ensurePartitions } from '../../../storage/retention/partitions.ts';
import { startTestServer } from '../../support/database.ts';
import { moduleCacheOptions } from '../../support/module-cache-options.ts';

const isRoot = process.getuid?.() === 0;

interface Test {
  teardown(handler: () => Promise<unknown>): unknown;
}

async function newFolder(t: Test, mode = 0o711): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'skein-embedded-'));
  await chmod(folder, mode);
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function ask(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query({ text, rowMode: 'array' })).rows.flat();
  } finally {
    await client.end();
  }
}

/** Resolves when the process is gone: it is told to go, so it goes. */
async function untilGone(pid: number): Promise<void> {
  while ((await readProcessStart(pid)) !== undefined) await new Promise(setImmediate);
}

/** Another process that owns the folder, or says why it may not. */
async function owner(
  t: Test,
  folder: string,
): Promise<{ child: ChildProcess; said: Record<string, unknown> }> {
  const program = new URL('../../support/embedded-owner.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [...moduleCacheOptions, program, folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  t.teardown(async () => child.kill('SIGKILL'));
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { child, said: JSON.parse(line) as Record<string, unknown> };
}

t.test('starts, keeps its data, and starts again at once', async t => {
  const folder = join(await newFolder(t), 'data', 'postgres');
  const first = await startEmbedded({ folder, log: silentLog });
  t.teardown(() => first.stop());
  t.equal(first.adopted, false);
  t.equal(new URL(first.url).hostname, '127.0.0.1');
  t.equal((await stat(join(folder, 'access.json'))).mode & 0o777, 0o600);
  t.strictSame(
    await ask(
      first.url,
      `select name || '=' || setting from pg_settings where name in ('fsync', 'full_page_writes', 'listen_addresses',
       'synchronous_commit', 'server_encoding', 'data_checksums') order by name`,
    ),
    [
      'data_checksums=on',
      'fsync=on',
      'full_page_writes=on',
      'listen_addresses=127.0.0.1',
      'server_encoding=UTF8',
      'synchronous_commit=on',
    ],
  );
  const unknown = new URL(first.url);
  unknown.password = 'wrong';
  await t.rejects(ask(unknown.href, 'select 1'), { code: '28P01' });
  await ask(first.url, 'create table kept as select 42 as answer');
  await Promise.all([first.stop(), first.stop()]);
  t.equal(await readProcessStart(first.pid), undefined, 'nothing runs after stop');

  const second = await startEmbedded({ folder, log: silentLog });
  t.teardown(() => second.stop());
  t.equal(second.url, first.url, 'same port, same password');
  t.strictSame(await ask(second.url, 'select answer from kept'), [42]);
  await second.stop();
});

t.test('one process at a time', async t => {
  const folder = await newFolder(t);
  const { child, said } = await owner(t, folder);
  t.type(said['url'], 'string');

  const refused = await owner(t, folder);
  t.strictSame(refused.said, {
    message: `the data folder ${folder} is in use by process ${child.pid}: stop that process, or choose another DATA_DIR`,
    holder: child.pid,
  });

  t.test('a killed owner leaves its server to the next one', async t => {
    await ask(String(said['url']), 'create table kept as select 7 as answer');
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    t.type(await readProcessStart(Number(said['pid'])), 'string', 'the server outlived it');

    const next = await owner(t, folder);
    t.match(next.said, { adopted: true, pid: said['pid'], url: said['url'] });
    t.strictSame(await ask(String(next.said['url']), 'select answer from kept'), [7]);

    t.test('a normal exit without a stop ends the server, too', async t => {
      const ended = once(next.child, 'exit');
      next.child.stdin?.write('exit\n');
      t.strictSame(await ended, [0, null]);
      await untilGone(Number(next.said['pid']));
      t.pass('the server is gone');
    });
  });
});

t.test('a status file whose pid is another program now does not stop the start', async t => {
  const folder = await newFolder(t);
  const first = await startEmbedded({ folder, log: silentLog });
  await first.stop();
  await writeFile(
    join(folder, 'data', 'postmaster.pid'),
    `${process.pid}\n${join(folder, 'data')}\n1\n5432\n\n\n\nready\n`,
  );
  const second = await startEmbedded({ folder, log: silentLog });
  t.teardown(() => second.stop());
  t.equal(second.adopted, false);
  t.strictSame(await ask(second.url, 'select 1'), [1]);
  await second.stop();
});

t.test(
  'a server that is killed is restarted at its address, with everything that was acknowledged',
  async t => {
    const server = await startTestServer(t, { durable: true });
    const { database } = server;
    await database.query('create table written (n int primary key)');
    let acknowledged = 0;
    let writing = true;
    const load = (async () => {
      for (let n = 1; writing; n++) {
        const ok = await database.query('insert into written values ($1)', [n]).then(
          () => true,
          () => false,
        );
        if (ok) acknowledged++;
        else await new Promise(setImmediate);
      }
    })();
    for (let kill = 1; kill <= 2; kill++) {
      const { pid } = server;
      const before = acknowledged;
      while (acknowledged < before + 50) await new Promise(setImmediate);
      await server.kill9();
      t.not(server.pid, pid);
    }
    writing = false;
    await load;
    const [row] = await database.query<{ kept: number }>('select count(*) as kept from written');
    t.ok(acknowledged > 100);
    t.ok((row?.kept ?? 0) >= acknowledged, `${acknowledged} acknowledged, ${row?.kept} kept`);
  },
);

t.test(
  'the node has an ordinary role, which owns everything; data of earlier versions are given to it',
  async t => {
    const folder = await newFolder(t);
    const first = await startEmbedded({ folder, log: silentLog });
    const database = await openDatabase({ url: first.url, log: silentLog });
    await database.migrate();
    await database.close();
    const access = await readAccess(folder);
    // As versions before 0.2 have left it: everything is the superuser's, and there is no other role.
    const superuser = new pg.Client({ connectionString: toSuperuserUrl(access) });
    await superuser.connect();
    await superuser.query('reassign owned by skein_node to skein');
    await superuser.query('drop owned by skein_node');
    await superuser.query('drop role skein_node');
    await superuser.query('create schema other; create view other.counted as select count(*) from threads');
    await superuser.end();
    await first.stop();
    await writeFile(
      join(folder, 'access.json'),
      JSON.stringify({ port: access.port, password: access.password }),
    );

    const second = await startEmbedded({ folder, log: silentLog });
    t.teardown(() => second.stop());
    t.equal(await readEmbeddedUrl(folder), second.url);
    t.strictSame(await ask(second.url, `select current_user, current_setting('is_superuser')`), [
      'skein_node',
      'off',
    ]);
    const owners = `
    select distinct pg_get_userbyid(owner) from (
      select relowner as owner, relnamespace as space from pg_class union all
      select proowner, pronamespace from pg_proc union all select nspowner, oid from pg_namespace where nspname <> 'public'
    ) as owned join pg_namespace n on n.oid = space where nspname !~ '^pg_' and nspname <> 'information_schema'`;
    t.strictSame(await ask(second.url, owners), ['skein_node']);
    for (const beyond of [
      `copy threads to program 'true'`,
      `select pg_read_file('PG_VERSION')`,
      'create role other',
      'alter system set fsync = off',
    ]) {
      await t.rejects(ask(second.url, beyond), { code: '42501' }, beyond);
    }
    const migrated = await openDatabase({ url: second.url, log: silentLog });
    t.teardown(() => migrated.close());
    await migrated.migrate();
    await ensurePartitions(migrated, Date.now() + 3 * 86_400_000, silentLog);
    await migrated.query('alter table threads add column extra text');
    t.strictSame(await migrated.query('select * from other.counted'), [{ count: 0 }]);
  },
);

t.test('data of another version are left alone', async t => {
  const folder = await newFolder(t);
  await mkdir(join(folder, 'data'));
  await writeFile(join(folder, 'data', 'PG_VERSION'), '15\n');
  const account = await findAccount(folder);
  if (account !== undefined) await chown(join(folder, 'data', 'PG_VERSION'), account.uid, account.gid);
  await t.rejects(startEmbedded({ folder, log: silentLog }), {
    message: /are of PostgreSQL 15, the installed server is 18/,
  });
  t.equal(await readFile(join(folder, 'data', 'PG_VERSION'), 'utf8'), '15\n');
});

t.test('as root, in a folder that only root may enter', { skip: !isRoot && 'needs root' }, async t => {
  const warned: { fields: object; message: string }[] = [];
  const log = { ...silentLog, warn: (fields: object, message: string) => warned.push({ fields, message }) };
  const closed = await newFolder(t, 0o700);

  t.test('the data lie where the server can reach them, and the folder says where', async t => {
    const folder = join(closed, 'postgres');
    const server = await startEmbedded({ folder, log });
    const dataDirectory = (await readFile(join(folder, 'moved-to'), 'utf8')).trim();
    t.teardown(() => rm(dataDirectory, { recursive: true }));
    t.teardown(() => server.stop());
    t.match(warned.pop()?.message, new RegExp(`cannot enter ${folder}: the database is in ${dataDirectory}`));
    await ask(server.url, 'create table kept as select 42 as answer');
    await server.stop();

    const again = await startEmbedded({ folder, log });
    t.teardown(() => again.stop());
    t.strictSame(await ask(again.url, 'select answer from kept'), [42]);
    await again.stop();
    t.strictSame(warned, [], 'said once');
    await rm(dataDirectory, { recursive: true });
    await t.rejects(
      startEmbedded({ folder, log }),
      { message: /cannot enter .*, where the data are/ },
      'never starts over',
    );
    await mkdir(dataDirectory);
  });

  t.test('the programs are copied beside the data', async t => {
    const installed = await installedBinaries();
    const native = join(closed, 'native');
    await cp(installed.native, native, { recursive: true, verbatimSymlinks: true });
    const hidden = {
      ...installed,
      native,
      initdb: join(native, 'bin', 'initdb'),
      postgres: join(native, 'bin', 'postgres'),
    };
    const account = await findAccount(closed);
    const beside = await newFolder(t);
    const copied = await findBinaries(hidden, account, beside, log);
    t.ok(copied.postgres.startsWith(beside));
    t.match((await runAs(account, copied.initdb, ['--version'])).stdout, /^initdb/);
    t.match(warned.pop()?.message, /copying them to the data directory/);
    t.strictSame(await findBinaries(hidden, account, beside, log), copied);
    t.strictSame(warned, [], 'copied once');
  });
});
