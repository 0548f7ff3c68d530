/**
 * Changes of tables that others write to. Whoever waits for an exclusive lock holds up all who come after: such a wait is short, and what
 * did not get its locks is tried again a little later, when the writes of meanwhile are done.
 */
import type { ClientBase } from 'pg';
import type { Log } from '../../runtime/observability/index.ts';
import { Backoff, keepAliveClock, pause, systemRandom } from '../../runtime/time/index.ts';

/** For each lock. */
const lockTimeoutMs = 200;
const firstBackoffMs = 50;
const maxBackoffMs = 5_000;
/** Some ten minutes: vacuuming a large table takes that long, and gives way to nobody who waits so short. */
const maxTries = 150;

/** lock_not_available, deadlock_detected. */
const blocked: ReadonlySet<unknown> = new Set(['55P03', '40P01']);

/** Repeats the work, with growing pauses, while it rejects because a table is locked. `fields`: what is being done, for the log. */
export async function retryBlocked(log: Log, fields: object, work: () => Promise<void>): Promise<void> {
  const backoff = new Backoff(firstBackoffMs, maxBackoffMs, systemRandom);
  for (let tries = 1; ; tries++) {
    try {
      await work();
      return;
    } catch (err) {
      if (!blocked.has((err as { readonly code?: unknown }).code) || tries === maxTries) throw err;
      log.info({ ...fields, tries, err }, 'a migration found a table locked; will retry');
      await pause(keepAliveClock, backoff.next());
    }
  }
}

/** Runs the statements in one transaction that waits only shortly for each lock, and again while a table is locked. */
export function runBriefly(
  client: ClientBase,
  log: Log,
  fields: object,
  statements: readonly string[],
): Promise<void> {
  return retryBlocked(log, fields, async () => {
    await client.query('begin');
    try {
      await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
      for (const statement of statements) await client.query(statement);
      await client.query('commit');
    } catch (error) {
      // On a lost connection that fails, too: the server has rolled back by itself.
      await client.query('rollback').catch(() => undefined);
      throw error;
    }
  });
}
