/** What the database knows for the whole cluster: measured by the node that does the maintenance, and shown by no other. */
import { Gauge } from 'prom-client';
import type { Metrics } from '../../runtime/observability/index.ts';
import type { Queries } from '../../storage/database/index.ts';
import { findOldestOpen } from '../../storage/deliveries/index.ts';
import { findOldestMail } from '../../storage/mail/index.ts';
import { findNextTokenExpiry } from '../../storage/reads/index.ts';
import { countDeadLetters, readOldestSnapshot } from '../../storage/system/index.ts';

export class ClusterGauges {
  readonly #db: Queries;
  #oldestSeconds: number | undefined;
  #expirySeconds: number | undefined;
  #oldestMailSeconds: number | undefined;
  #deadLetters: number | undefined;
  #oldestSnapshotSeconds: number | undefined;

  constructor(db: Queries, { registry }: Pick<Metrics, 'registry'>, isLeader: () => boolean) {
    this.#db = db;
    const show = (name: string, help: string, read: () => number | undefined): void => {
      new Gauge({
        name,
        help,
        registers: [registry],
        collect(): void {
          const value = isLeader() ? read() : undefined;
          if (value === undefined) this.remove();
          else this.set(value);
        },
      });
    };
    show(
      'skein_deliveries_oldest_seconds',
      'Age of the oldest delivery that has a row and is open',
      () => this.#oldestSeconds,
    );
    show(
      'skein_channel_token_expiry_seconds',
      'Time until the first token of a chatapp channel expires',
      () => this.#expirySeconds,
    );
    show(
      'skein_mails_oldest_seconds',
      'Age of the oldest mail that is neither sent nor given up',
      () => this.#oldestMailSeconds,
    );
    show(
      'skein_dead_letters',
      'Dead letters that are kept: work that was given up and neither run again nor deleted; 1,001 at most',
      () => this.#deadLetters,
    );
    show(
      'skein_snapshot_oldest_seconds',
      'Age of the oldest snapshot of the database: while it is open, no version of a row is removed',
      () => this.#oldestSnapshotSeconds,
    );
  }

  /** @param now epoch milliseconds, by the database */
  async measure(now: number): Promise<void> {
    const [oldest, expiry, mail, snapshot, deadLetters] = await Promise.all([
      findOldestOpen(this.#db),
      findNextTokenExpiry(this.#db),
      findOldestMail(this.#db),
      readOldestSnapshot(this.#db),
      countDeadLetters(this.#db),
    ]);
    this.#deadLetters = deadLetters;
    const toAge = (at: number | undefined): number => (at === undefined ? 0 : Math.max(0, now - at) / 1_000);
    this.#oldestSeconds = toAge(oldest);
    this.#oldestMailSeconds = toAge(mail);
    this.#oldestSnapshotSeconds = snapshot;
    this.#expirySeconds = expiry === undefined ? undefined : (expiry - now) / 1_000;
  }
}
