/**
 * The history of the database that this process works on.
 *
 * A failover with asynchronous replication loses the last commits of the old primary: the log goes back, and its numbers are given again.
 * What a process remembers of the log is then ahead of it. PostgreSQL starts a new timeline with each promotion, and a restored dump has
 * another system identifier. Each new connection reads both, before it is used.
 *
 *   unknown -> followed        `follow`, after the migrations: the row of `log_generation` names the server
 *   followed -> followed       a connection leads to a newer timeline or another system. First the row is written, with the next generation;
 *                              then connections to the old server are cut, and listeners drop what they remember
 *
 * The row is committed before any connection of this process to the new server is used. So no event of the new timeline exists before the
 * generation that marks it, whichever node notices first and whichever node restarts in between.
 */
import pg from 'pg';
import type { Log } from '../../runtime/observability/index.ts';
import { StandbyServer } from './errors.ts';

/** Identifies one history of a database. */
export interface ServerHistory {
  /** The system identifier of the cluster: its files descend from one initdb. */
  readonly system: string;
  /** Grows with each promotion. */
  readonly timeline: number;
}

/** The log went back during an operation: what the operation has read may not exist. The same operation may succeed when repeated. */
export class TimelineChanged extends Error {
  override readonly name = 'TimelineChanged';

  constructor() {
    super('the database failed over, and its log may have gone back');
  }
}

// The end of the write-ahead log names the timeline. The control file names it too, but only after the first checkpoint of a new primary.
const selectServer = `
  select pg_is_in_recovery() as standby, (select system_identifier::text from pg_control_system()) as system,
    case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_lsn()), 8) end as timeline`;

/** feature_not_supported, insufficient_privilege, undefined_function: a service that hides the history of its servers. */
const hiddenStates: ReadonlySet<unknown> = new Set(['0A000', '42501', '42883']);
const hidden: ServerHistory = { system: '', timeline: 0 };

const nameServer = `
  insert into log_generation as g (id, generation, system, timeline, changed_at) values (1, 0, $1, $2, now())
  on conflict (id) do update
    set generation = g.generation + 1, system = excluded.system, timeline = excluded.timeline, changed_at = now()
    where (g.system, g.timeline) is distinct from (excluded.system, excluded.timeline)`;
const selectGeneration = `select generation from log_generation`;

interface ServerRow {
  readonly standby: boolean;
  readonly system: string;
  /** Eight hexadecimal digits; null on a standby. */
  readonly timeline: string | null;
}

type Queryable = Pick<pg.ClientBase, 'query'>;

export class Timeline {
  readonly #log: Log;
  readonly #listeners: (() => void)[] = [];
  /** Open connections, by the server that they lead to. */
  readonly #connections = new Map<pg.Client, ServerHistory>();
  /** Undefined until `follow`. */
  #known: ServerHistory | undefined;
  #generation = 0;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Counts the times that the log may have gone back. The same number on all nodes that have noticed. */
  get generation(): number {
    return this.#generation;
  }

  /** Called in the moment when the generation changes, before any statement runs on the new server. Must not throw. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Starts to compare. Needs the schema. */
  async follow(client: Queryable): Promise<void> {
    const server = await readServer(client);
    if (server === hidden) {
      this.#log.warn(
        {},
        'the database does not tell its timeline: after a failover that loses commits, restart all nodes',
      );
    }
    this.#become(server, await raiseGeneration(client, server));
  }

  /** Checks a new connection before it is used. Rejects with {@link StandbyServer} for a standby, and for a former primary. */
  async admit(client: pg.Client): Promise<void> {
    const server = await readServer(client);
    if (this.#known !== undefined && !isSame(server, this.#known)) {
      this.#requireNewer(server);
      this.#become(server, await raiseGeneration(client, server));
    }
    this.#connections.set(client, server);
    client.once('end', () => this.#connections.delete(client));
  }

  #become(server: ServerHistory, generation: number): void {
    const before = this.#known;
    // Another connection may have been faster.
    if (before !== undefined && isSame(server, before)) return;
    this.#requireNewer(server);
    this.#known = server;
    this.#generation = generation;
    for (const [client, other] of this.#connections) {
      if (isSame(other, server)) continue;
      this.#connections.delete(client);
      client.connection.stream.destroy();
    }
    if (before === undefined) return;
    this.#log.warn({ from: before, to: server, generation }, 'the database failed over: memory is reset');
    for (const listener of this.#listeners) listener();
  }

  #requireNewer({ system, timeline }: ServerHistory): void {
    if (this.#known?.system !== system || timeline >= this.#known.timeline) return;
    throw new StandbyServer(
      `the database is a former primary: its timeline is ${timeline}, and ${this.#known.timeline} exists`,
    );
  }
}

function isSame(one: ServerHistory, other: ServerHistory): boolean {
  return one.system === other.system && one.timeline === other.timeline;
}

async function readServer(client: Queryable): Promise<ServerHistory> {
  let row: ServerRow | undefined;
  try {
    row = (await client.query<ServerRow>(selectServer)).rows[0];
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || !hiddenStates.has(error.code)) throw error;
    await requirePrimary(client);
    return hidden;
  }
  if (row?.standby !== false) throw new StandbyServer(standbyMessage);
  return { system: row.system, timeline: Number.parseInt(row.timeline ?? '0', 16) };
}

const standbyMessage = 'the database is a standby, which takes no writes';

/** Rejects with {@link StandbyServer} for a standby. A server does not become one without a restart. */
export async function requirePrimary(client: Pick<pg.ClientBase | pg.Pool, 'query'>): Promise<void> {
  const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
  if (rows[0]?.standby !== false) throw new StandbyServer(standbyMessage);
}

/** Commits the row that names the server, and resolves to its generation. */
async function raiseGeneration(client: Queryable, { system, timeline }: ServerHistory): Promise<number> {
  await client.query(nameServer, [system, timeline]);
  const { rows } = await client.query<{ generation: number }>(selectGeneration);
  return rows[0]?.generation ?? 0;
}
