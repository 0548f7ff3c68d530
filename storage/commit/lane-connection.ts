/**
 * The database connection of a commit lane: runs a batch as one pipelined transaction, and settles a transaction whose outcome is in
 * doubt (docs/decisions/0006-unknown-commits.md).
 *
 * Pipelined: BEGIN, the statements and COMMIT go out in one write, and the answers are read as they come. A saturated event loop turns
 * every few milliseconds, so a transaction of ten awaited round trips would take ten turns; this one takes one or two.
 *
 * In doubt: the lane owns one row, its commit marker `lane_marks(lane_id, epoch, batch)`, and each transaction first writes its batch
 * number there, on condition that the epoch is the one it knows. When the connection is lost before the answer to COMMIT, the next
 * connection raises the epoch and reads the batch number. That update waits for a transaction that holds the row, and a transaction
 * that has not come so far finds another epoch and fails. So the number is exact, whatever the timing.
 *
 * After a failover the marker may be older than this lane knows, so the first connection to another server raises the epoch as well. A
 * batch runs only on the generation of the log that it was decided on (storage/database/timeline.ts), and an acknowledgement by a server that
 * was replaced meanwhile counts as in doubt.
 */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { isOutOfResources, isReadOnly, type Timeline, TimelineChanged } from '../database/index.ts';
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
// Both create the row where it is missing: the retention sweep removes the marker of a lane that was idle for a week.
const setCommitMarker = {
  name: 'lane.commit_marker',
  text: `
    with marked as (
      insert into lane_marks as mark (lane_id, epoch, batch, updated_at) values ($1, $2, $3, now())
      on conflict (lane_id) do update set batch = excluded.batch, updated_at = now() where mark.epoch = excluded.epoch
      returning lane_id
    ) select skein_fence('lane', case when exists (select from marked) then '{}' else array[$1] end)`,
};
const raiseEpoch = `
  insert into lane_marks as mark (lane_id, epoch, batch, updated_at) values ($1, $2, 0, now())
  on conflict (lane_id) do update set epoch = greatest(mark.epoch + 1, excluded.epoch), updated_at = now()
  returning epoch, batch`;
const deleteCommitMarker = `delete from lane_marks where lane_id = $1`;

/**
 * Whether the outcome of a failed transaction is certain. An error inside it turns our COMMIT into a ROLLBACK, and an error of the COMMIT
 * itself is an ERROR on a connection that lives: both are. Anything else (FATAL, a broken socket) is not.
 */
function isCertain(commit: PromiseSettledResult<pg.QueryResult> | undefined): boolean {
  if (commit?.status === 'fulfilled') return commit.value.command === 'ROLLBACK';
  return commit?.reason instanceof pg.DatabaseError && commit.reason.severity === 'ERROR';
}

export class LaneConnection {
  readonly #url: string;
  readonly #name: string;
  readonly #statementMs: number;
  readonly #timeline: Timeline;
  readonly #laneId = randomUUID();
  #epoch = 0;
  /** That the marker was last written or read on. */
  #generation: number | undefined;
  #client: pg.Client | undefined;

  /** @param statementMs the server cancels a statement that takes longer */
  constructor(url: string, name: string, statementMs: number, timeline: Timeline) {
    this.#url = url;
    this.#name = name;
    this.#timeline = timeline;
    this.#statementMs = statementMs;
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
    const outcomes = await Promise.allSettled(this.#send(client, batch, statements, statementMs));
    const failure = outcomes.find(outcome => outcome.status === 'rejected');
    if (generation !== this.#timeline.generation) {
      await this.close();
      throw new InDoubt('the database failed over before the outcome of the commit was known');
    }
    if (failure === undefined) {
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
    await this.#client?.query(deleteCommitMarker, [this.#laneId]).catch(() => undefined);
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
    const values = [this.#laneId, this.#epoch + 1];
    const { rows } = await client.query<{ epoch: string; batch: string }>(raiseEpoch, values);
    this.#epoch = Number(rows[0]?.epoch);
    return Number(rows[0]?.batch);
  }

  /** In one write: the server has the whole transaction when it wakes, and does not sleep between two statements. */
  #send(
    client: pg.Client,
    batch: number,
    statements: readonly BatchStatement[],
    statementMs: number,
  ): Promise<pg.QueryResult>[] {
    const { stream } = client.connection;
    const limit = statementMs === this.#statementMs ? '' : `; set local statement_timeout = ${statementMs}`;
    stream.cork();
    try {
      return [
        client.query(`begin${limit}`),
        client.query({ ...setCommitMarker, values: [this.#laneId, this.#epoch, batch] }),
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
      // Every batch has arrays of other lengths: a plan for each would cost more than it gains.
      options: `-c plan_cache_mode=force_generic_plan -c timezone=UTC -c statement_timeout=${this.#statementMs} -c idle_in_transaction_session_timeout=30000`,
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
