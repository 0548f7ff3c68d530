/** A streaming replica of a test database: a copy of its files that follows it, until it is promoted. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { silentLog } from '../../runtime/observability/log.ts';
import { findAccount } from '../../storage/embedded/account.ts';
import { findBinaries, installedBinaries, serverEnvironment } from '../../storage/embedded/binaries.ts';
import { settings } from '../../storage/embedded/cluster.ts';
import { pickPort } from './free-port.ts';
import type { TestServer } from './database.ts';
import { eventually } from './eventually.ts';
import { dataRoot } from './memory-folder.ts';
import { processGuard } from './process-guard.ts';

const run = promisify(execFile);
const name = 'standby';

export interface Standby {
  readonly url: string;
  /** Ends the replication when the standby has everything so far: what the primary commits from then on is lost in a failover. */
  fallBehind(): Promise<void>;
  /** Makes it a primary of its own. */
  promote(): Promise<void>;
}

/**
 * Starts a standby, which is removed with the test; what a killed test leaves is removed as its databases are.
 *
 * @param isSynchronous from then on the primary acknowledges no commit that the standby does not have
 */
export async function startStandby(
  t: { teardown(handler: () => Promise<void>): unknown },
  { url: primaryUrl, superuserUrl }: Pick<TestServer, 'url' | 'superuserUrl'>,
  isSynchronous = true,
): Promise<Standby> {
  const root = await mkdtemp(join(dataRoot, `skein-test-${process.pid}-`));
  await chmod(root, 0o711);
  t.teardown(() => rm(root, { recursive: true, force: true }));
  const data = join(root, 'data');
  const primary = new pg.Client({ connectionString: superuserUrl });
  await primary.connect();
  await copyFiles(primary, data);

  const { hostname, port, username, password } = new URL(superuserUrl);
  await appendFile(
    join(data, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=${hostname} port=${port} user=${username} password=${password} application_name=${name}'\n`,
  );
  await writeFile(join(data, 'standby.signal'), '');
  const standbyPort = String(await pickPort());
  const toStandby = (address: string): string => {
    const url = new URL(address);
    url.port = standbyPort;
    return url.href;
  };
  await startServer(t, data, standbyPort);

  if (isSynchronous) {
    await primary.query(`alter system set synchronous_standby_names = '${name}'`);
    await primary.query('select pg_reload_conf()');
  }
  await eventually('standby that follows', async () => {
    const { rows } = await primary.query(`select from pg_stat_replication where sync_state = $1`, [
      isSynchronous ? 'sync' : 'async',
    ]);
    return rows.length === 1;
  });
  await primary.end();
  const order = async (...statements: readonly string[]): Promise<void> => {
    const client = new pg.Client({ connectionString: toStandby(superuserUrl) });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  return {
    url: toStandby(primaryUrl),
    async fallBehind() {
      const client = new pg.Client({ connectionString: superuserUrl });
      await client.connect();
      const { rows } = await client.query<{ lsn: string }>('select pg_current_wal_lsn() as lsn');
      await eventually('standby that has everything', async () => {
        const caughtUp = 'select from pg_stat_replication where replay_lsn >= $1';
        return (await client.query(caughtUp, [rows[0]?.lsn])).rows.length === 1;
      });
      await order(`alter system set primary_conninfo = ''`, 'select pg_reload_conf()');
      await eventually('end of the replication', async () => {
        const { rows } = await client.query('select from pg_stat_replication');
        return rows.length === 0;
      });
      await client.end();
    },
    promote: () => order('select pg_promote()'),
  };
}

/** As pg_basebackup does (manual, 25.3.4), which is not among the programs that we have. */
async function copyFiles(primary: pg.Client, data: string): Promise<void> {
  const { rows } = await primary.query<{ data_directory: string }>('show data_directory');
  await primary.query(`select pg_backup_start('${name}', true)`);
  // Files that the server removes meanwhile are missing, which a base backup may be (PostgreSQL, "Making a Base Backup Using the Low Level API").
  await run('cp', ['-a', rows[0]?.data_directory ?? '', data]).catch(
    (error: { readonly stderr?: string }) => {
      const lines = (error.stderr ?? '').trim().split('\n');
      if (!lines.every(line => line.endsWith(': No such file or directory'))) throw error as Error;
    },
  );
  for (const file of ['postmaster.pid', 'postmaster.opts']) await rm(join(data, file), { force: true });
  const stopped = await primary.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
  const label = join(data, 'backup_label');
  await writeFile(label, stopped.rows[0]?.labelfile ?? '');
  const account = await findAccount(data);
  if (account !== undefined) await chown(label, account.uid, account.gid);
}

async function startServer(
  t: { teardown(handler: () => Promise<void>): unknown },
  data: string,
  port: string,
): Promise<void> {
  const account = await findAccount(data);
  const { postgres } = await findBinaries(await installedBinaries(), account, join(data, '..'), silentLog);
  const all = { ...settings, shared_buffers: '64MB', max_wal_size: '256MB', min_wal_size: '32MB' };
  const args = Object.entries(all).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  const server = spawn(postgres, ['-D', data, '-p', port, ...args], {
    ...account,
    cwd: data,
    env: serverEnvironment(),
    stdio: 'ignore',
  });
  const exited = once(server, 'exit');
  const endGuard = processGuard(server.pid ?? 0, 'QUIT');
  t.teardown(async () => {
    server.kill('SIGQUIT');
    await exited;
    endGuard();
  });
}
