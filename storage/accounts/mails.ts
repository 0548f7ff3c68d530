/** The outbox of mail: rows of `mails`, from the transaction that wants them to the end of their tries. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { randomUUID } from 'node:crypto';
import type { Database } from '../database.ts';
import { Mail } from '../entities/mail.ts';
import type { Vault } from '../vault.ts';

export const mailKinds = ['verify_email', 'reset_password', 'invitation', 'stitch_stopped'] as const;
export type MailKind = (typeof mailKinds)[number];

/** A mail that a transaction wants. */
export interface NewMail {
  /** Where the same mail may be asked for twice; else a fresh one. */
  readonly mailId?: string;
  readonly kind: MailKind;
  readonly recipient: string;
  /** What the mail carries, sealed until it is sent: a single-use token, or the JSON of its news. */
  readonly secret: string;
  readonly now: Date;
  /** When the mail ceases to be of use. */
  readonly expiresAt: Date;
}

/** A mail whose secret is sealed: ready to be written into a transaction. */
export interface SealedMail extends Omit<NewMail, 'secret'> {
  readonly mailId: string;
  readonly sealed: string;
}

/** A mail that is this node's to send now. */
export interface ClaimedMail {
  readonly mailId: string;
  readonly kind: MailKind;
  readonly recipient: string;
  readonly secret: string;
  /** This one included. */
  readonly attempts: number;
}

/**
 * Takes what is due and puts it off at once, so that a node that dies while sending leaves it to the next try: after 1, 2,
 * 4, 8 minutes and then every 15, until the token ends. What has ended is given up in the same statement.
 */
const claimDue = `
  with due as (
    select mail_id, expires_at <= $1 as over from mails where next_attempt_at <= $1 and kind = any ($2::text[])
    order by next_attempt_at limit $3 for update skip locked
  ), taken as (
    update mails m set
      attempts = m.attempts + case when over then 0 else 1 end,
      next_attempt_at = case when over then null else $1 + least(interval '1 minute' * 2 ^ least(m.attempts, 10), interval '15 minutes') end,
      secret = case when over then null else m.secret end,
      last_error = case when over then coalesce(m.last_error, 'expired before it could be sent') else m.last_error end
    from due where m.mail_id = due.mail_id
    returning m.mail_id as "mailId", m.kind, m.recipient, m.secret as sealed, m.attempts, over
  )
  select "mailId", kind, recipient, sealed, attempts from taken where not over`;

const markSent = `
  update mails set sent_at = $2, next_attempt_at = null, secret = null, last_error = null where mail_id = $1`;

const markFailed = `update mails set last_error = $2 where mail_id = $1`;

const sealingContext = (mailId: string): string => `mails/${mailId}/secret`;

function rowOf(mail: SealedMail) {
  return {
    mailId: mail.mailId,
    kind: mail.kind,
    recipient: mail.recipient,
    secret: mail.sealed,
    nextAttemptAt: mail.now,
    expiresAt: mail.expiresAt,
    createdAt: mail.now,
    lastError: null,
  };
}

export class Mails {
  readonly #db: Pick<Database, 'query'>;
  readonly #vault: Vault;

  constructor(db: Pick<Database, 'query'>, vault: Vault) {
    this.#db = db;
    this.#vault = vault;
  }

  /** Encryption takes a turn of the event loop: done before the transaction, which is then the shorter. */
  async seal(mail: NewMail): Promise<SealedMail> {
    const { secret, mailId = randomUUID(), ...rest } = mail;
    return { ...rest, mailId, sealed: await this.#vault.seal(sealingContext(mailId), secret) };
  }

  /** Adds the mail to the unit of work. Wake the sender after the commit. */
  queue(em: EntityManager, mail: SealedMail): void {
    em.create(Mail, rowOf(mail));
  }

  /** Adds it as a mail that is not sent, where a transaction has to look like one that sends. */
  discard(em: EntityManager, mail: SealedMail, reason: string): void {
    em.create(Mail, { ...rowOf(mail), secret: null, nextAttemptAt: null, lastError: reason });
  }

  /** Inserts the mails, but for those that are there. */
  async queueOnce(em: EntityManager, mails: readonly SealedMail[]): Promise<void> {
    if (mails.length > 0) await em.upsertMany(Mail, mails.map(rowOf), { onConflictAction: 'ignore' });
  }

  /** Claims up to `limit` mails that are due at `now` (epoch milliseconds). Nodes never get the same one. */
  async claim(now: number, limit: number): Promise<ClaimedMail[]> {
    type Row = Omit<ClaimedMail, 'secret'> & { readonly sealed: string };
    const rows = await this.#db.query<Row>(claimDue, [new Date(now), mailKinds, limit], 'mails.claim');
    const opened = await Promise.all(rows.map(({ sealed, ...mail }) => this.#open(mail, sealed)));
    return opened.filter(mail => mail !== undefined);
  }

  /** A secret that cannot be opened (its key is gone from the ring) holds up its own mail only. */
  async #open(mail: Omit<ClaimedMail, 'secret'>, sealed: string): Promise<ClaimedMail | undefined> {
    try {
      return { ...mail, secret: await this.#vault.open(sealingContext(mail.mailId), sealed) };
    } catch (error) {
      await this.failed(mail.mailId, error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  /** It was taken by the mail server: its secret is erased. `now` in epoch milliseconds. */
  async sent(mailId: string, now: number): Promise<void> {
    await this.#db.query(markSent, [mailId, new Date(now)], 'mails.sent');
  }

  /** Keeps the reason for whoever looks; the next try was set when the mail was claimed. */
  async failed(mailId: string, error: string): Promise<void> {
    await this.#db.query(
      markFailed,
      [mailId, error.slice(0, 1000).toWellFormed().replaceAll('\0', '')],
      'mails.failed',
    );
  }
}
