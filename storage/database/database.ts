/**
 * The database, seen from above: entities through the ORM for plain resources, and `query` with real bind parameters for reads. (The
 * ORM's own `execute` writes values into the text on the client. Commits of actors have connections of their own, see
 * storage/commit.)
 */
import { randomUUID } from 'node:crypto';
import { MikroORM } from '@mikro-orm/postgresql';
import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';
import pg from 'pg';
import type { Log } from '../../runtime/observability/index.ts';
import { entities } from '../entities/index.ts';
import { compareSchema, listMigrations, runMigrations, type SchemaDifference } from '../migrations/index.ts';
import { followIndexes, type PoolUse, ScanPool, searchIndexes, toPoolUse } from './scan-pool.ts';
import { requirePrimary, Timeline } from './timeline.ts';

export interface DatabaseOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  readonly log: Log;
  /** Connections for `query`; the ORM has half as many of its own. Default 8. */
  readonly poolSize?: number;
  /** The server cancels a statement, of `query` or of the ORM, after this many milliseconds. Default 10,000. */
  readonly statementTimeoutMs?: number;
  /** The server cancels a wait for a lock after this many. Default 8,000: an error that names the lock says more than a timeout. */
  readonly lockTimeoutMs?: number;
}

export interface Database {
  readonly url: string;
  readonly orm: MikroORM;
  /** Notices failovers, from `migrate` on. Commits of actors admit their connections by it. */
  readonly timeline: Timeline;
  /** A fresh entity manager for one piece of work: requests never share entities. */
  em(): EntityManager;
  /**
   * Runs one statement with `$1`-style bind parameters. int8 comes as number, `json` as its exact text, `jsonb` parsed,
   * timestamptz as Date. `name` prepares the statement once per connection: for hot texts that never vary.
   */
  query<T extends object>(text: string, values?: readonly unknown[], name?: string): Promise<T[]>;
  /**
   * Runs one statement of a list of the project that looks through an index in its order (storage/paging/bounded-scan.ts), on
   * connections of its own (scan-pool.ts). Rejects with `svc/runtime/unavailable` (503) when too many lists of the project wait.
   */
  scan<T extends object>(projectId: string, text: string, values: readonly unknown[]): Promise<T[]>;
  /** The same for a search by words. The server cancels it after a second. */
  search<T extends object>(projectId: string, text: string, values: readonly unknown[]): Promise<T[]>;
  /** The connections of `query` and of the lists: those that there are, those that work, and statements that wait for one. */
  readonly pools: () => Readonly<Record<'lists' | 'queries' | 'searches', PoolUse>>;
  /** Resolves when the database takes reads and writes. */
  check(): Promise<void>;
  /** Commits a row of this process. Rejects two seconds after it was sent, if there is no answer. */
  probeWrite(): Promise<void>;
  /** Brings the schema up to date. Any number of nodes may call it at once: one works, the others wait and find it done. */
  migrate(): Promise<void>;
  /** How the schema differs from this program's. Changes nothing. */
  compareSchema(): Promise<SchemaDifference>;
  /** Idempotent. */
  close(): Promise<void>;
}

/** Whatever can run one statement. */
export type Queries = Pick<Database, 'query'>;

/** A statement that is this late beyond its time limit has lost its answer: its connection is closed. */
const silenceMs = 5_000;

/** Beside the markers of commit lanes: maintenance removes the row when its process is gone for a week. */
const upsertProbe = `
  insert into lane_marks (lane_id, epoch, batch, updated_at) values ($1, 0, 0, now())
  on conflict (lane_id) do update set updated_at = now()`;
const probeTimeoutMs = 2_000;
const probeId = randomUUID();

/** The server cancels a look into the index of words after this many milliseconds. */
const searchTimeoutMs = 1_000;

/**
 * The operating system's probes notice after some 20 s that a server vanished without a word, or that a gateway forgot the connection.
 * By default they begin after two hours.
 */
const keepAliveSettings = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/** int8 within 2^53 (our counters) as number; `json` as text, since its text is what was signed. */
function typeParsers(): pg.TypeOverrides {
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.INT8, Number);
  types.setTypeParser(pg.types.builtins.JSON, text => text);
  return types;
}

/** Opens the pools. Connects at first use; `migrate` is the usual first use. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { url, log, poolSize = 8 } = options;
  const limits: StatementLimits = {
    statement_timeout: options.statementTimeoutMs ?? 10_000,
    lock_timeout: options.lockTimeoutMs ?? 8_000,
  };

  let closing: Promise<void> | undefined;
  const timeline = new Timeline(log);
  const verify = createVerify(timeline);
  const settings: pg.PoolConfig = {
    connectionString: url,
    types: typeParsers(),
    application_name: 'skein',
    ...limits,
    query_timeout: limits.statement_timeout + silenceMs,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    verify,
    ...keepAliveSettings,
  };
  // An idle connection that the server closes is replaced at the next use. Without a listener the error would end the process.
  const onLost = (error: Error): void => {
    if (closing === undefined) log.warn({ err: error }, 'database connection lost');
  };
  const pool = new pg.Pool({ ...settings, max: poolSize });
  pool.on('error', onLost);
  const scans = new ScanPool(settings, followIndexes, onLost);
  const searches = new ScanPool({ ...settings, statement_timeout: searchTimeoutMs }, searchIndexes, onLost);

  const orm = await openOrm(url, Math.max(2, Math.ceil(poolSize / 2)), limits, verify);

  async function close(): Promise<void> {
    await Promise.all([pool.end(), scans.close(), searches.close()]);
    await orm.close(true);
  }

  return {
    url,
    orm,
    timeline,
    em: () => orm.em.fork(),
    async query<T extends object>(text: string, values: readonly unknown[] = [], name?: string) {
      const result = await pool.query<T>({
        text,
        values: [...values],
        ...(name === undefined ? {} : { name }),
      });
      return result.rows;
    },
    scan: (projectId, text, values) => scans.query(projectId, text, values),
    search: (projectId, text, values) => searches.query(projectId, text, values),
    pools: () => ({ queries: toPoolUse(pool), lists: scans.use, searches: searches.use }),
    check: () => requirePrimary(pool),
    probeWrite: () => writeProbe(pool),
    migrate: () => migrate(orm, timeline, url, log),
    compareSchema: () => compareSchema(pool, listMigrations(orm.em.getDriver(), orm.config)),
    close: () => (closing ??= close()),
  };
}

/** Writes the row of this process. */
async function writeProbe(pool: pg.Pool): Promise<void> {
  const statement: pg.QueryConfig & Pick<pg.ClientConfig, 'query_timeout'> = {
    text: upsertProbe,
    values: [probeId],
    query_timeout: probeTimeoutMs,
  };
  await pool.query(statement);
}

/** Checks each new connection of a pool. */
function createVerify(timeline: Timeline): NonNullable<pg.PoolConfig['verify']> {
  return (client, done) => {
    // Neither the pool nor a user of the connection listens meanwhile, and an error without a listener would end the process.
    const ignore = (): void => undefined;
    client.on('error', ignore);
    timeline.admit(client).then(() => {
      done();
      client.off('error', ignore);
    }, done);
  };
}

/** The server's settings of every connection, in milliseconds. */
interface StatementLimits {
  readonly statement_timeout: number;
  readonly lock_timeout: number;
}

function openOrm(
  url: string,
  connections: number,
  limits: StatementLimits,
  verify: NonNullable<pg.PoolConfig['verify']>,
): Promise<MikroORM> {
  return MikroORM.init({
    entities: [...entities],
    clientUrl: url,
    // Of them the ORM only has to know that their table is no entity's.
    migrations: { tableName: 'migrations' },
    pool: { min: 0, max: connections },
    // Functions and triggers are made by migrations: entities do not know them.
    schemaGenerator: { ignoreRoutines: true, ignoreTriggers: true },
    driverOptions: {
      // Entities, too, read `json` as its exact text (JsonText in storage/entities/columns.ts).
      onPoolCreated: (created: pg.Pool) => {
        const { types } = created.options;
        if (types instanceof pg.TypeOverrides) types.setTypeParser(pg.types.builtins.JSON, text => text);
        releaseLostClients(created);
      },
      application_name: 'skein-orm',
      connectionTimeoutMillis: 5_000,
      idle_in_transaction_session_timeout: 60_000,
      verify,
      ...limits,
      ...keepAliveSettings,
    },
    debug: false,
    ensureDatabase: false,
  });
}

async function migrate(orm: MikroORM, timeline: Timeline, url: string, log: Log): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'skein-migrate',
    ...keepAliveSettings,
  });
  // What runs on it is told. Without a listener the error would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await requirePrimary(client);
    await runMigrations(client, listMigrations(orm.em.getDriver(), orm.config), log);
    await timeline.follow(client);
  } finally {
    await client.end();
  }
}

/**
 * Releases the clients of a pool whose connection is lost. Kysely's controlled transaction releases its client after COMMIT or ROLLBACK,
 * but forgets it when the ROLLBACK itself fails, as it does on a lost connection. The pool would count the client as taken for
 * ever, and hand out none after as many losses as it has connections (seen in kysely 0.29.6).
 */
function releaseLostClients(pool: pg.Pool): void {
  const taken = new WeakSet<pg.PoolClient>();
  pool.on('acquire', client => taken.add(client));
  pool.on('release', (_error, client) => taken.delete(client));
  pool.on('connect', client => {
    client.on('error', error => {
      if (!taken.has(client)) return;
      const { release } = client;
      // The holder may still release it, which must have no effect.
      client.release = () => undefined;
      release(error);
    });
  });
}

/**
 * Runs a statement with `$n` parameters in the manager's transaction: the ORM's own `execute` writes parameters into the text and has no
 * binary ones. Resolves to the rows; rejects with the driver's own error.
 */
export async function executeBound<Row>(
  em: EntityManager,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const { rows } = await em.getKysely().executeQuery(CompiledQuery.raw(text, [...values]));
  return rows as Row[];
}
