/**
 * Sends the mails of the outbox. A mail is a row of the transaction that needs it. It is sent after the commit, and again after a
 * crash or a failure: at least once, with the same Message-ID for every attempt (docs/develop/architecture.md, "The rules").
 *
 * A pass claims what is due, sends it, and repeats until nothing is due. A pass starts at `start`, at every `wake` (a commit has
 * added mail), and every 30 s, which finds what other nodes left behind. Two nodes never claim the same row.
 */
import type { Clock, Timer } from '../../runtime/time/index.ts';
import type { ClaimedMail, MailOutbox } from '../../storage/mail/index.ts';
import { mailText } from './messages.ts';
import type { MailMetrics } from './metrics.ts';
import { isRecipientRefused, type MailLog, type MailTransport } from './transport.ts';

/** The interval between passes that nobody asked for. */
const pollIntervalMs = 30_000;
/** Mails that are claimed in one statement and sent concurrently. */
const batchSize = 10;

export interface MailSenderOptions {
  readonly mails: Pick<MailOutbox, 'claim' | 'markSent' | 'markFailed'>;
  readonly transport: MailTransport;
  readonly metrics: Pick<MailMetrics, 'count'>;
  readonly clock: Clock;
  /** Public address of the service, without a slash at its end. */
  readonly baseUrl: string;
  readonly log: MailLog & { warn(fields: object, message: string): void };
}

export class MailSender {
  readonly #options: MailSenderOptions;
  #pass: Promise<void> | undefined;
  /** `wake` was called during a pass, which may have looked before the new row was there. */
  #again = false;
  #timer: Timer | undefined;
  #state: 'idle' | 'started' | 'drained' = 'idle';

  constructor(options: MailSenderOptions) {
    this.#options = options;
  }

  /** Sends what earlier runs left behind, then what `wake` announces. Idempotent. */
  start(): void {
    if (this.#state !== 'idle') return;
    this.#state = 'started';
    this.wake();
  }

  /** Mail has been committed. Returns at once; does nothing before `start` and after `drain`. */
  wake(): void {
    if (this.#state !== 'started') return;
    if (this.#pass !== undefined) {
      this.#again = true;
      return;
    }
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#pass = this.#run();
  }

  /** Resolves when the mails that are being sent have been sent. The rest is left to another node or the next start. Idempotent. */
  async drain(): Promise<void> {
    if (this.#state === 'drained') return;
    this.#state = 'drained';
    this.#timer?.cancel();
    await this.#pass;
    this.#options.transport.close();
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#options;
    try {
      do {
        this.#again = false;
        await this.#sendDue();
      } while (this.#again && this.#isStarted());
    } catch (error) {
      log.warn({ err: error }, 'could not read the mail outbox; will retry');
    }
    this.#pass = undefined;
    if (this.#isStarted()) {
      this.#timer = clock.after(pollIntervalMs, () => {
        this.wake();
      });
    }
  }

  // A method, because the state changes while a pass awaits.
  #isStarted(): boolean {
    return this.#state === 'started';
  }

  async #sendDue(): Promise<void> {
    const { mails, clock } = this.#options;
    while (this.#isStarted()) {
      const claimed = await mails.claim(clock.now(), batchSize);
      await Promise.all(claimed.map(mail => this.#send(mail)));
      if (claimed.length < batchSize) return;
    }
  }

  async #send(mail: ClaimedMail): Promise<void> {
    const { mails, clock, log } = this.#options;
    try {
      await this.#handOver(mail);
      await mails.markSent(mail.mailId, clock.now());
    } catch (error) {
      log.warn(
        { err: error, mailId: mail.mailId, attempts: mail.attempts },
        'could not send mail; will retry',
      );
      const reason = error instanceof Error ? error.message : String(error);
      // The mail is retried even when the reason could not be recorded.
      await mails.markFailed(mail.mailId, reason).catch(() => undefined);
    }
  }

  /** Rejects where the mail server does not take it. Counts what it says, whether or not that can be recorded. */
  async #handOver({ mailId, kind, recipient, secret }: ClaimedMail): Promise<void> {
    const { transport, metrics, baseUrl } = this.#options;
    const text = mailText(kind, secret, baseUrl, recipient);
    try {
      await transport.send({ mailId, to: recipient, ...text });
    } catch (error) {
      metrics.count(isRecipientRefused(error) ? 'refused' : 'failed');
      throw error;
    }
    metrics.count('sent');
  }
}
