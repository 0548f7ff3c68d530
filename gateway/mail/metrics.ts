/** What became of the attempts to send a mail. */
import type { Registry } from 'prom-client';
import { CountsBy } from '../../runtime/observability/index.ts';

/**
 * - `sent`: the mail server has taken it.
 * - `refused`: the mail server will not have this recipient (5xx or status 4.1.x to RCPT TO). A mistyped address; or, where it is every
 *   mail, a server that relays nothing for us.
 * - `failed`: anything else, such as no connection, no TLS, a wrong password or a busy server.
 *
 * What is not sent is tried again until it expires, and each attempt counts.
 */
const outcomes = ['sent', 'refused', 'failed'] as const;
export type MailOutcome = (typeof outcomes)[number];

export class MailMetrics {
  readonly #mails: CountsBy;

  constructor(registry: Registry) {
    this.#mails = new CountsBy(
      registry,
      'skein_mails_total',
      'Attempts to send a mail by how they ended',
      'outcome',
    );
    // Mails are few. A series that begins with its first failure shows no increase, and so no alert.
    for (const outcome of outcomes) this.#mails.add(outcome, 0);
  }

  count(outcome: MailOutcome): void {
    this.#mails.add(outcome);
  }
}
