/**
 * The database connection of a commit lane: runs a batch as one pipelined transaction, and settles a transaction whose outcome is in
 * doubt (docs/decisions/0006-unknown-commits.md).
 *
 * Pipelined: BEGIN, the statements and COMMIT go out in one write, and the answers are read as they come. A saturated event loop turns
 * every few milliseconds, so a transaction of ten awaited round trips would take ten turns; this one takes one or two.
 *
 * BEGIN may fail while the statements behind it are on their way. Each would then be a transaction of its own. So BEGIN asks for a
 * property that no other transaction of the session has (DEFERRABLE, which means nothing for a transaction that writes), and the commit
 * marker, which comes next, makes the session read-only where it does not find that property: every statement behind it fails.
 *
 * In doubt: the lane owns a row, its commit marker `lane_marks(lane_id, epoch, batch)`, and each transaction first writes its batch
 * number there, on condition that the epoch is the one it knows. When the connection is lost before the answer to COMMIT, the next
 * connection raises the epoch and reads the batch number. That update waits for a transaction that holds the row, and a transaction
 * that has not come so far finds another epoch and fails. So the number is exact, whatever the timing.
 *
 * The row of a marker is updated {@link batchesPerMarker} times, then the lane takes another: while a long snapshot is open (a backup, a
 * dump), the server keeps every version of a row, and each update reads them all.
 *
 * After a failover the marker may be older than this lane knows, so the first connection to another server raises the epoch as well. A
 * batch runs only on the generation of the log that it was decided on (storage/database/timeline.ts), and an acknowledgement by a server that
 * was replaced meanwhile counts as in doubt.
 */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { isOutOfResources, isReadOnly, type Timeline, TimelineChanged } from '../database/index.ts';
import { lockStreams, newestStream } from '../statements/index.ts';
import type { BatchStatement } from './batch.ts';

/** No connection to a server that takes writes could be made: nothing happened. */
export class NotConnected extends Error {
  override readonly name = 'NotConnected';
}

/** The transaction's outcome is unknown: settle it with {@link LaneConnection.settle}. */
export class InDoubt extends Error {
  override readonly name = 'InDoubt';
}

const connectTimeoutMs = 5_000;
/** A connection that is silent for this much longer than the server lets a statement run counts as lost. */
const silenceMs = 15_000;
/** Updating a row 64 times beside a long snapshot takes as long as beside none; 12,000 times, ten times as long. */
const batchesPerMarker = 64;
const isInBlock = `current_setting('transaction_deferrable')::boolean`;
// Both create the row where it is missing: the retention sweep removes the marker of a lane that was idle for a week.
const setCommitMarker = {
  name: 'lane.commit_marker',
  text: `
    with marked as (
      insert into lane_marks as mark (lane_id, epoch, batch, updated_at) select $1, $2::bigint, $3::bigint, now() where ${isInBlock}
      on conflict (lane_id) do update set batch = excluded.batch, updated_at = now() where mark.epoch = excluded.epoch
      returning lane_id
    ) select case
      when not ${isInBlock} then set_config('default_transaction_read_only', 'on', false)
      when not exists (select from marked) then skein_fence('lane', array[$1])::text end`,
};
const raiseEpoch = `
  insert into lane_marks as mark (lane_id, epoch, batch, updated_at) values ($1, $2, 0, now())
  on conflict (lane_id) do update set epoch = greatest(mark.epoch + 1, excluded.epoch), updated_at = now()
  returning epoch, batch`;
const deleteCommitMarker = { name: 'lane.delete_marker', text: `delete from lane_marks where lane_id = $1` };

/**
 * Whether the outcome of a failed transaction is certain. An error inside it turns our COMMIT into a ROLLBACK, and an error of the COMMIT
 * itself is an ERROR on a connection that lives: both are. Anything else (FATAL, a broken socket) is not.
 */
function isCertain(commit: PromiseSettledResult<pg.QueryResult> | undefined): boolean {
  if (commit?.status === 'fulfilled') return commit.value.command === 'ROLLBACK';
  return commit?.reason instanceof pg.DatabaseError && commit.reason.severity === 'ERROR';
}

/** A row of `lane_marks` while the lane uses it. */
interface Marker {
  readonly id: string;
  /** Raised by each settlement. */
  epoch: number;
  /** The first batch that it is for; undefined before that. */
  first: number | undefined;
}

function createMarker(first?: number): Marker {
  return { id: randomUUID(), epoch: 0, first };
}

// Not part of a batch, so that the locks are released at once.
const findHeldProjects = {
  name: 'lane.held_projects',
  text: `
    with seen as materialized (
      select p.project_id, p.era from unnest($1::text[]) as id cross join lateral ${newestStream('id', 'p')}
    ), free as materialized (
      ${lockStreams('seen', 'for share of p skip locked')}
    ) select project_id from seen except select project_id from free`,
};

export class LaneConnection {
  readonly #url: string;
  readonly #name: string;
  readonly #statementMs: number;
  readonly #lockMs: number;
  readonly #timeline: Timeline;
  #marker = createMarker();
  /** The marker before this one. Its row is deleted by the next transaction. */
  #oldMarkerId: string | undefined;
  /** Generation of the log on which the marker was last written or read. */
  #generation: number | undefined;
  #client: pg.Client | undefined;

  /**
   * @param statementMs the server cancels a statement that takes longer
   * @param lockMs the server cancels a statement that waits longer for one lock
   */
  constructor(url: string, name: string, statementMs: number, lockMs: number, timeline: Timeline) {
    this.#url = url;
    this.#name = name;
    this.#statementMs = statementMs;
    this.#lockMs = lockMs;
    this.#timeline = timeline;
  }

  /**
   * Runs the statements in one transaction and resolves to the rows of the last one. Rejects with the database's error (nothing was
   * applied), with `InDoubt`, with `NotConnected`, or with `TimelineChanged` (nothing was sent).
   *
   * @param batch the lane's number of this transaction: 1, 2, 3 ...; a number is used again only after `settle` has denied it
   * @param generation of the log that the statements were decided on
   * @param statementMs the time limit of a statement, for this transaction alone
   */
  async run(
    batch: number,
    statements: readonly BatchStatement[],
    generation: number,
    statementMs = this.#statementMs,
  ): Promise<readonly Record<string, unknown>[]> {
    const client = await this.#connected();
    if (generation !== this.#timeline.generation) throw new TimelineChanged();
    this.#rotateMarker(batch);
    const outcomes = await Promise.allSettled(this.#send(client, batch, statements, statementMs));
    const failure = outcomes.find(outcome => outcome.status === 'rejected');
    if (generation !== this.#timeline.generation) {
      await this.close();
      throw new InDoubt('the database failed over before the outcome of the commit was known');
    }
    if (failure === undefined) {
      this.#oldMarkerId = undefined;
      const last = outcomes[outcomes.length - 2];
      return last?.status === 'fulfilled' ? (last.value.rows as Record<string, unknown>[]) : [];
    }
    const isLive = isCertain(outcomes.at(-1));
    if (isLive && !isReadOnly(failure.reason)) throw failure.reason;
    await this.close();
    if (isLive) throw new NotConnected('the database takes no writes', { cause: failure.reason });
    throw new InDoubt('the connection was lost before the outcome of the commit was known', {
      cause: failure.reason,
    });
  }

  /** The projects of the list whose rows in `project_streams` another transaction holds at this moment. */
  async findHeld(projectIds: readonly string[]): Promise<string[]> {
    const client = await this.#connected();
    const values = [projectIds];
    const { rows } = await client.query<{ project_id: string }>({ ...findHeldProjects, values });
    return rows.map(row => row.project_id);
  }

  /** Whether the transaction of that number has committed; if not, it never will. Rejects while the database is away. */
  async settle(batch: number): Promise<boolean> {
    const client = await this.#connected();
    try {
      return (await this.#raiseEpoch(client)) >= batch;
    } catch (error) {
      // The address may lead to another server by now.
      await this.close();
      throw error;
    }
  }

  /** Ends the lane and deletes its commit marker. Idempotent. */
  async end(): Promise<void> {
    const { id, epoch } = this.#marker;
    // A transaction of a lost connection may still arrive: the row whose epoch refuses it stays, and the retention sweep removes it.
    if (epoch === 0)
      await this.#client?.query({ ...deleteCommitMarker, values: [id] }).catch(() => undefined);
    await this.close();
  }

  /** Idempotent; the next use connects again. */
  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => undefined);
  }

  /** Excludes what an older connection may still be running. Resolves to the number of the last batch that has committed. */
  async #raiseEpoch(client: pg.Client): Promise<number> {
    const marker = this.#marker;
    const values = [marker.id, marker.epoch + 1];
    const { rows } = await client.query<{ epoch: string; batch: string }>(raiseEpoch, values);
    marker.epoch = Number(rows[0]?.epoch);
    return Number(rows[0]?.batch);
  }

  /** Takes the next marker for a new batch. That of a batch in doubt stays until the batch is settled. */
  #rotateMarker(batch: number): void {
    const { id, epoch, first } = this.#marker;
    if (first === undefined) this.#marker.first = batch;
    else if (batch >= first + batchesPerMarker) {
      // As in `end`.
      this.#oldMarkerId = epoch === 0 ? id : undefined;
      this.#marker = createMarker(batch);
    }
  }

  /** In one write: the server has the whole transaction when it wakes, and does not sleep between two statements. */
  #send(
    client: pg.Client,
    batch: number,
    statements: readonly BatchStatement[],
    statementMs: number,
  ): Promise<pg.QueryResult>[] {
    const { id, epoch } = this.#marker;
    const oldMarkerId = this.#oldMarkerId;
    const { stream } = client.connection;
    const limit = statementMs === this.#statementMs ? '' : `; set local statement_timeout = ${statementMs}`;
    stream.cork();
    try {
      return [
        client.query(`begin deferrable${limit}`),
        client.query({ ...setCommitMarker, values: [id, epoch, batch] }),
        ...(oldMarkerId === undefined
          ? []
          : [client.query({ ...deleteCommitMarker, values: [oldMarkerId] })]),
        ...statements.map(({ statement, parameters }) =>
          client.query({ name: statement.name, text: statement.text, values: [...parameters] }),
        ),
        client.query('commit'),
      ];
    } finally {
      stream.uncork();
    }
  }

  async #connected(): Promise<pg.Client> {
    if (this.#client !== undefined) return this.#client;
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: this.#name,
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: this.#statementMs + silenceMs,
      keepAlive: true,
      pipeline: true,
      // Every batch has arrays of other lengths: a plan for each would cost more than it gains. That of a table which was small must not
      // read the whole table once it is large.
      options: `-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c timezone=UTC -c default_transaction_deferrable=off -c statement_timeout=${this.#statementMs} -c lock_timeout=${this.#lockMs} -c idle_in_transaction_session_timeout=30000`,
    });
    const lost = (): void => {
      if (this.#client === client) this.#client = undefined;
    };
    client.on('error', lost);
    client.on('end', lost);
    try {
      await client.connect();
      await this.#timeline.admit(client);
      const { generation } = this.#timeline;
      if (this.#generation !== undefined && this.#generation !== generation) await this.#raiseEpoch(client);
      this.#generation = generation;
    } catch (error) {
      void client.end().catch(() => undefined);
      if (isOutOfResources(error)) throw error;
      throw new NotConnected('the database cannot be reached', { cause: error });
    }
    this.#client = client;
    return client;
  }
}
