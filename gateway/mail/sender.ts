/**
 * Sends what `mails` holds (design section 2, rule 4): a mail is a row of the transaction that wants it, taken up after
 * the commit, taken up again after a crash or a failure, at least once, with one Message-ID over all attempts.
 *
 * One pass claims what is due, sends it, and repeats until nothing is due. A pass begins at `start`, at every `wake` (a
 * commit has added mail), and every 30 s, which finds what other nodes left behind. Nodes do not claim the same row.
 */
import type { Clock, Timer } from '../../runtime/clock.ts';
import type { ClaimedMail, Mails } from '../../storage/accounts/mails.ts';
import { mailText } from './messages.ts';
import type { MailLog, MailTransport } from './transport.ts';

/** Milliseconds between passes that nobody asked for. */
const patrolMs = 30_000;
/** Mails claimed, and sent at the same time, in one step of a pass. */
const batch = 10;

export interface MailSenderOptions {
  readonly mails: Pick<Mails, 'claim' | 'sent' | 'failed'>;
  readonly transport: MailTransport;
  readonly clock: Clock;
  /** Public address of the service, without a slash at its end. */
  readonly baseUrl: string;
  readonly log: MailLog & { warn(fields: object, message: string): void };
}

export class MailSender {
  readonly #options: MailSenderOptions;
  #pass: Promise<void> | undefined;
  /** Someone woke the sender while a pass was under way: that pass may have looked before the new row was there. */
  #again = false;
  #timer: Timer | undefined;
  #state: 'idle' | 'started' | 'drained' = 'idle';

  constructor(options: MailSenderOptions) {
    this.#options = options;
  }

  /** Begins with what earlier runs left. Does nothing the second time. */
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

  /** Ends after the mails that are being sent; what is left over is another node's or the next start's. Idempotent. */
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
      log.warn({ err: error }, 'mail cannot be read from the database; trying again later');
    }
    this.#pass = undefined;
    if (this.#isStarted()) {
      this.#timer = clock.after(patrolMs, () => {
        this.wake();
      });
    }
  }

  // A method, because the state changes during the awaits of a pass.
  #isStarted(): boolean {
    return this.#state === 'started';
  }

  async #sendDue(): Promise<void> {
    const { mails, clock } = this.#options;
    while (this.#isStarted()) {
      const claimed = await mails.claim(clock.now(), batch);
      await Promise.all(claimed.map(mail => this.#send(mail)));
      if (claimed.length < batch) return;
    }
  }

  async #send(mail: ClaimedMail): Promise<void> {
    const { mails, transport, clock, baseUrl, log } = this.#options;
    try {
      const text = mailText(mail.kind, mail.secret, baseUrl);
      await transport.send({ mailId: mail.mailId, to: mail.recipient, ...text });
      await mails.sent(mail.mailId, clock.now());
    } catch (error) {
      log.warn({ err: error, mailId: mail.mailId, attempts: mail.attempts }, 'mail was not sent');
      const reason = error instanceof Error ? error.message : String(error);
      // Without the reason in its row it is tried again all the same.
      await mails.failed(mail.mailId, reason).catch(() => undefined);
    }
  }
}
