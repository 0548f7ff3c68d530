/**
 * One database connection of a lane: runs a batch as one pipelined transaction, and settles what a lost connection left
 * in doubt.
 *
 * Pipelined: BEGIN, the statements and COMMIT are written at once, and the answers read as they come. A saturated event loop
 * turns every few milliseconds, so a transaction of ten awaited round trips would take ten turns; this one takes one or two.
 *
 * In doubt: each transaction first inserts a marker with its own id. When the connection is lost before the answer to
 * COMMIT, the next connection inserts the same marker as `abandoned`. If that insert wins, the lost transaction can never
 * commit any more: its own insert would break the key. If it loses, the marker that is there tells the outcome; and if the
 * lost transaction is still running in the server, the insert waits for it. So the answer is exact, whatever the timing.
 */
import pg from 'pg';
import type { Step } from './batch.ts';

/** No connection could be made: nothing was sent, nothing happened. */
export class NotConnected extends Error {
  override readonly name = 'NotConnected';
}

/** The transaction's outcome is unknown: settle it with {@link LaneConnection.settle}. */
export class InDoubt extends Error {
  override readonly name = 'InDoubt';
}

const connectTimeoutMs = 5_000;
const insertMarker = {
  name: 'marker',
  text: `insert into commit_markers (batch_id, outcome, created_at) values ($1, 'committed', now())`,
};
const abandonMarker = `insert into commit_markers (batch_id, outcome, created_at) values ($1, 'abandoned', now()) on conflict (batch_id) do nothing`;

/**
 * An error inside the transaction turns our COMMIT into a ROLLBACK, and one in COMMIT itself is an ERROR on a connection that
 * lives: both are certain. Everything else (FATAL, a broken socket) is not.
 */
function isCertain(commit: PromiseSettledResult<pg.QueryResult> | undefined): boolean {
  if (commit?.status === 'fulfilled') return commit.value.command === 'ROLLBACK';
  return commit?.reason instanceof pg.DatabaseError && commit.reason.severity === 'ERROR';
}

export class LaneConnection {
  readonly #url: string;
  readonly #name: string;
  #client: pg.Client | undefined;

  constructor(url: string, name: string) {
    this.#url = url;
    this.#name = name;
  }

  /**
   * Runs the steps in one transaction and gives the rows of the last one. Rejects with the database's error (nothing
   * was applied), with `InDoubt`, or with a connection error when nothing was sent.
   */
  async run(batchId: string, steps: readonly Step[]): Promise<readonly Record<string, unknown>[]> {
    const client = await this.#connected();
    const results: Promise<pg.QueryResult>[] = [
      client.query('begin'),
      client.query({ ...insertMarker, values: [batchId] }),
    ];
    for (const { statement, parameters } of steps) {
      results.push(client.query({ name: statement.name, text: statement.text, values: [...parameters] }));
    }
    const committed = client.query('commit');
    const outcomes = await Promise.allSettled([...results, committed]);
    const failure = outcomes.find(outcome => outcome.status === 'rejected');
    if (failure === undefined) {
      const last = outcomes[outcomes.length - 2];
      return last?.status === 'fulfilled' ? (last.value.rows as Record<string, unknown>[]) : [];
    }
    if (isCertain(outcomes.at(-1))) throw failure.reason;
    await this.close();
    throw new InDoubt('the connection was lost before the outcome of the commit was known', {
      cause: failure.reason,
    });
  }

  /** Whether the transaction committed. Rejects while the database cannot be reached. */
  async settle(batchId: string): Promise<boolean> {
    const client = await this.#connected();
    const { rowCount } = await client.query(abandonMarker, [batchId]);
    if (rowCount === 1) return false;
    const { rows } = await client.query<{ outcome: string }>(
      'select outcome from commit_markers where batch_id = $1',
      [batchId],
    );
    return rows[0]?.outcome === 'committed';
  }

  async query<T extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<T[]> {
    const client = await this.#connected();
    return (await client.query<T>(text, values)).rows;
  }

  /** Idempotent; the next use connects anew. */
  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => undefined);
  }

  async #connected(): Promise<pg.Client> {
    if (this.#client !== undefined) return this.#client;
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: this.#name,
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      pipeline: true,
      options: '-c timezone=UTC -c statement_timeout=30000 -c idle_in_transaction_session_timeout=30000',
    });
    const lost = (): void => {
      if (this.#client === client) this.#client = undefined;
    };
    client.on('error', lost);
    client.on('end', lost);
    try {
      await client.connect();
    } catch (error) {
      throw new NotConnected('the database cannot be reached', { cause: error });
    }
    this.#client = client;
    return client;
  }
}
