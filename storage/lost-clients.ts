import type pg from 'pg';

/**
 * Gives a pool back the clients whose connection is lost. Kysely's controlled transaction releases its client after COMMIT or
 * ROLLBACK, and forgets it when the ROLLBACK itself fails, as it does where nobody hears it: the pool would count the
 * client as taken for ever, and after as many losses as it has connections hand out none (seen in kysely 0.29.6).
 */
export function giveBackLostClients(pool: pg.Pool): void {
  const taken = new WeakSet<pg.PoolClient>();
  pool.on('acquire', client => taken.add(client));
  pool.on('release', (_error, client) => taken.delete(client));
  pool.on('connect', client => {
    client.on('error', error => {
      if (!taken.has(client)) return;
      const { release } = client;
      // Whoever holds it may still release it too, which must be nothing.
      client.release = () => undefined;
      release(error);
    });
  });
}
