/**
 * The database, seen from above: entities through the ORM for plain resources, and `query` with real bind parameters
 * for reads. (The ORM's own `execute` writes values into the text on the client; and the hot path has its own
 * connections, see group-commit.ts.)
 */
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import type { EntityManager } from '@mikro-orm/postgresql';
import pg from 'pg';
import type { Log } from '../runtime/log.ts';
import { entities } from './entities/all.ts';
import { giveBackLostClients } from './lost-clients.ts';
import { migrations } from './migrations/list.ts';
import { Walks } from './walks.ts';

export interface DatabaseOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  readonly log: Log;
  /** Connections for `query`; the ORM has half as many of its own. Default 8. */
  readonly poolSize?: number;
  /** The server gives up a statement after this many milliseconds, be it of `query` or of the ORM. Default 10,000. */
  readonly statementTimeoutMs?: number;
  /** And one that waits for a lock after this many. Default 8,000: an error that names the lock is worth more than one of time. */
  readonly lockTimeoutMs?: number;
}

export interface Database {
  readonly url: string;
  readonly orm: MikroORM;
  /** A fork of its own for one piece of work: entities are never shared between requests. */
  em(): EntityManager;
  /**
   * Runs one statement with `$1`-style bind parameters. int8 comes as number, `json` as its exact text, `jsonb` parsed,
   * timestamptz as Date. `name` prepares the statement once per connection: for hot texts that never vary.
   */
  query<T extends object>(text: string, values?: readonly unknown[], name?: string): Promise<T[]>;
  /**
   * Runs one statement of a list of the project that looks through an index in its order (reads/walk.ts), on connections of their
   * own (walks.ts). Fails with `svc/runtime/unavailable` (503) when too many lists of the project wait.
   */
  walk<T extends object>(projectId: string, text: string, values: readonly unknown[]): Promise<T[]>;
  /** Brings the schema up to date. Any number of nodes may call it at once: one works, the others wait and find it done. */
  migrate(): Promise<void>;
  /** Idempotent. */
  close(): Promise<void>;
}

/** Key of the advisory lock that migrations run under: any number that no other program of the database uses. */
const migrationLock = 0x534b_4d47;

/** Past its time limit by so much, a statement has an answer that got lost: its connection is given up. */
const silenceMs = 5_000;

/**
 * A server that vanished without a word, or a gateway that forgot the connection, is noticed after some 20 s by the system's
 * own probes; by default they begin after two hours.
 */
const probed = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/** int8 within 2^53 (our counters) as number; `json` as text, since its text is what was signed. */
function typeParsers(): pg.TypeOverrides {
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.INT8, Number);
  types.setTypeParser(pg.types.builtins.JSON, text => text);
  return types;
}

/** Opens the pools. Connects at first use; `migrate` is the usual first use. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { url, log } = options;
  const poolSize = options.poolSize ?? 8;
  const limits = {
    statement_timeout: options.statementTimeoutMs ?? 10_000,
    lock_timeout: options.lockTimeoutMs ?? 8_000,
  };

  let closing: Promise<void> | undefined;
  const settings: pg.PoolConfig = {
    connectionString: url,
    types: typeParsers(),
    application_name: 'skein',
    ...limits,
    query_timeout: limits.statement_timeout + silenceMs,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    ...probed,
  };
  // An idle connection that the server drops is replaced at the next use; without a listener it would end the process.
  const onLost = (error: Error): void => {
    if (closing === undefined) log.warn({ err: error }, 'database connection lost');
  };
  const pool = new pg.Pool({ ...settings, max: poolSize });
  pool.on('error', onLost);
  const walks = new Walks(settings, onLost);

  const orm = await MikroORM.init({
    entities: [...entities],
    clientUrl: url,
    extensions: [Migrator],
    migrations: { migrationsList: migrations, snapshot: false, tableName: 'migrations', silent: true },
    pool: { min: 0, max: Math.max(2, Math.ceil(poolSize / 2)) },
    // skein_fence and skein_delivery_id are the migrations' own: entities say nothing of functions.
    schemaGenerator: { ignoreRoutines: true },
    driverOptions: {
      // Also for entities `json` is its exact text (entities/columns.ts, JsonText).
      onPoolCreated: (created: pg.Pool) => {
        const { types } = created.options;
        if (types instanceof pg.TypeOverrides) types.setTypeParser(pg.types.builtins.JSON, text => text);
        giveBackLostClients(created);
      },
      application_name: 'skein-orm',
      connectionTimeoutMillis: 5_000,
      idle_in_transaction_session_timeout: 60_000,
      ...limits,
      ...probed,
    },
    debug: false,
    ensureDatabase: false,
  });

  async function migrate(): Promise<void> {
    // The lock has a connection of its own: the session that holds it must outlive every transaction of the migrator.
    const client = new pg.Client({ connectionString: url, application_name: 'skein-migrate' });
    await client.connect();
    try {
      await client.query('select pg_advisory_lock($1)', [migrationLock]);
      // A change of a large table takes as long as it takes.
      const done = await orm.em.fork().transactional(async em => {
        await em.execute('set local statement_timeout = 0; set local lock_timeout = 0');
        return orm.migrator.up({ transaction: em.getTransactionContext() });
      });
      for (const { name } of done) log.info({ migration: name }, 'migrated');
    } finally {
      await client.end();
    }
  }

  async function close(): Promise<void> {
    await Promise.all([pool.end(), walks.close()]);
    await orm.close(true);
  }

  return {
    url,
    orm,
    em: () => orm.em.fork(),
    async query<T extends object>(text: string, values: readonly unknown[] = [], name?: string) {
      const result = await pool.query<T>({
        text,
        values: [...values],
        ...(name === undefined ? {} : { name }),
      });
      return result.rows;
    },
    walk: (projectId, text, values) => walks.query(projectId, text, values),
    migrate,
    close: () => (closing ??= close()),
  };
}
