/** The database: that it answers, can be used, has the schema of this program, and keeps what it acknowledges. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { silentLog } from '../../runtime/observability/index.ts';
import { type Database, openDatabase, selectNow } from '../../storage/database/index.ts';
import { FolderInUse, readEmbeddedUrl, startEmbedded } from '../../storage/embedded/index.ts';
import { KeyRing, loadHashRoot, readKeys } from '../../storage/secrets/index.ts';
import type { Config } from '../config/index.ts';
import { figures } from '../sizing/index.ts';
import { explain, failed, type Finding, note, ok } from './finding.ts';

const check = 'database';
/** The node corrects its own clock; a machine that is further off is itself in need of repair. */
const mostClockMs = 1_000;
const connectionsOfNode = figures.nodeConnections + figures.migrationConnections;

/** Findings of what DATABASE_URL names, or of the embedded database, which is started for it where no node has it. */
export async function* examineDatabase(config: Config): AsyncGenerator<Finding> {
  let opened: { readonly url: string; readonly what: string; stop(): Promise<void> } | undefined;
  try {
    opened = await open(config);
  } catch (error) {
    yield failed(check, explain(error));
    return;
  }
  if (opened === undefined) {
    yield note(check, `none yet under ${config.dataDir}: the first start makes one`);
    return;
  }
  const database = await openDatabase({ url: opened.url, log: silentLog, poolSize: 2 });
  try {
    yield await examineServer(database, opened.what);
    yield await examineSchema(database);
    yield* await examineSettings(database);
    yield await examineClock(database);
    yield await examineKeys(config, database);
  } catch (error) {
    yield failed(check, `${opened.what}: ${explain(error)}`);
  } finally {
    await database.close();
    await opened.stop();
  }
}

async function open(config: Config) {
  const { databaseUrl, dataDir } = config;
  if (databaseUrl !== undefined) {
    const { host, pathname } = new URL(databaseUrl);
    return { url: databaseUrl, what: `${host}${pathname}`, stop: () => Promise.resolve() };
  }
  const folder = join(dataDir, 'postgres');
  const isThere = await access(folder).then(
    () => true,
    () => false,
  );
  if (!isThere) return undefined;
  const what = `the embedded one in ${folder}`;
  try {
    const { url, stop } = await startEmbedded({ folder, log: silentLog });
    return { url, what, stop };
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error;
    return { url: await readEmbeddedUrl(folder), what, stop: () => Promise.resolve() };
  }
}

async function examineServer(database: Database, what: string): Promise<Finding> {
  await database.check();
  const [row] = await database.query<{ version: string; major: number }>(
    `select current_setting('server_version') as version, current_setting('server_version_num')::int / 10000 as major`,
  );
  const { version = 'unknown', major = 0 } = row ?? {};
  const detail = `PostgreSQL ${version}, ${what}`;
  return major >= 15 && major <= 18 ? ok(check, detail) : failed(check, `${detail}: 15 to 18 are supported`);
}

async function examineSchema(database: Database): Promise<Finding> {
  const { pending, unknown } = await database.compareSchema();
  if (unknown.length > 0) {
    const detail = `a later version has migrated the database (${unknown.join(', ')}): start that version, or restore a backup`;
    return failed('schema', detail);
  }
  if (pending.length === 0) return ok('schema', 'up to date');
  return note('schema', `the next start runs ${pending.length} migrations: ${pending.join(', ')}`);
}

interface Settings {
  readonly fsync: string;
  readonly commit: string;
  readonly pages: string;
  readonly connections: number;
  readonly vacuum: string;
}

async function examineSettings(database: Database): Promise<Finding[]> {
  const [row] = await database.query<Settings>(
    `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
      current_setting('full_page_writes') as pages, current_setting('autovacuum') as vacuum,
      current_setting('max_connections')::int as connections`,
  );
  if (row === undefined) return [];
  const { fsync, commit, pages, vacuum, connections } = row;
  const off = [
    ...(fsync === 'off' ? ['fsync'] : []),
    ...(commit === 'off' ? ['synchronous_commit'] : []),
    ...(pages === 'off' ? ['full_page_writes'] : []),
  ];
  const durable =
    off.length > 0
      ? failed('durability', `${off.join(' and ')} off: what is acknowledged is lost with the power`)
      : ok('durability', 'fsync, synchronous_commit and full_page_writes are on');
  const findings = [durable];
  if (vacuum === 'off') findings.push(failed('vacuum', 'autovacuum is off: the tables grow without bound'));
  if (connections < connectionsOfNode) {
    findings.push(
      failed('connections', `max_connections is ${connections}: a node needs ${connectionsOfNode}`),
    );
  }
  return findings;
}

async function examineClock(database: Database): Promise<Finding> {
  const before = Date.now();
  const [row] = await database.query<{ now: number }>(selectNow);
  const after = Date.now();
  const now = row?.now ?? before;
  const offMs = Math.max(before - now, now - after, 0);
  if (offMs <= mostClockMs) return ok('clock', "as the database's");
  return failed('clock', `${Math.round(offMs / 1_000)} s off the database's: synchronise both (NTP)`);
}

/** What is sealed opens with the keys that this node would use. */
async function examineKeys(config: Config, database: Database): Promise<Finding> {
  const kept = await readKeys(config.dataDir);
  const given = config.secretKeys ?? kept?.secretKeys;
  if (given === undefined) return note('keys', 'none yet: the first start makes keys.json');
  const nothing = note('keys', 'not tried: the database has nothing sealed yet');
  const [table] = await database.query<{ exists: boolean }>(
    `select to_regclass('hash_root') is not null as exists`,
  );
  if (table?.exists !== true) return nothing;
  const [root] = await database.query<{ count: number }>('select count(*)::int as count from hash_root');
  if (root?.count === 0) return nothing;
  try {
    const ring = new KeyRing(given);
    await loadHashRoot(database, ring);
    return ok('keys', `they open what is sealed; ${ring.newest.kid} is the newest`);
  } catch {
    return failed(
      'keys',
      'SECRET_KEYS, or keys.json, are not those of this database: nothing sealed can be opened',
    );
  }
}
