/**
 * The outbox of mail, the table `mails`: written by the transaction that causes a mail, claimed by a sender after the commit, and tried
 * again until the mail is sent or expires.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import { createHash, randomUUID } from 'node:crypto';
import type { Database, Queries } from '../database/index.ts';
import { Mail } from '../entities/index.ts';
import type { MailedApp } from '../../protocol/resources/index.ts';
import type { Vault } from '../secrets/index.ts';
import { emailKey } from './email.ts';

export const mailKinds = [
  'verify_email',
  'verify_account',
  'reset_password',
  'reset_console_password',
  'invitation',
  'stitch_stopped',
  'channel_credential',
  'change_email',
  'change_account_email',
  'account_notice',
] as const;
export type MailKind = (typeof mailKinds)[number];

/** The content of a mail of kind `verify_account`. Those of kind `verify_email`, which nodes of 0.1 queue, hold the token alone. */
export interface VerificationMail {
  readonly token: string;
  /** When the account was made, ISO 8601, and from which address; null where that is not known any more. */
  readonly madeAt: string;
  readonly madeFrom: string | null;
  /** Where the link leads. Absent: to Studio. */
  readonly app?: MailedApp;
}

/** The content of a mail of kind `change_account_email`. Those of kind `change_email`, which earlier releases queue, hold the token alone. */
export interface EmailChangeMail {
  readonly token: string;
  /** Present address of the account. */
  readonly account: string;
}

/** The content of a mail of kind `account_notice`: what was done with the account, for whoever has its address. */
export interface AccountNotice {
  readonly what:
    | 'email_change_asked'
    | 'email_wanted'
    | 'email_changed'
    | 'password_changed'
    | 'account_deleted'
    | 'second_factor_enabled'
    | 'second_factor_disabled'
    | 'passkey_added'
    | 'passkey_removed';
  /** When it was done, ISO 8601, and from which address. */
  readonly at: string;
  readonly from: string;
  /** The new address of the account, where that is what was done. */
  readonly email?: string;
}

/** The kind of the mail that leads to the page of the app for a new password: nodes without the second one leave it to the others. */
export const resetMailKinds = {
  studio: 'reset_password',
  console: 'reset_console_password',
} as const satisfies Readonly<Record<MailedApp, MailKind>>;

/** A mail to be queued. */
export interface NewMail {
  /** Given where the same mail may be queued twice; default: a fresh id. */
  readonly mailId?: string;
  readonly kind: MailKind;
  readonly recipient: string;
  /** What the mail carries, sealed until it is sent: a single-use token, or the JSON of a notice. */
  readonly secret: string;
  readonly now: Date;
  /** When the mail is of no more use. */
  readonly expiresAt: Date;
}

/** A mail whose secret is sealed, ready for a transaction. */
export interface SealedMail extends Omit<NewMail, 'secret'> {
  readonly mailId: string;
  readonly sealed: string;
}

/** A mail that this node has to send now. */
export interface ClaimedMail {
  readonly mailId: string;
  readonly kind: MailKind;
  readonly recipient: string;
  readonly secret: string;
  /** With this one. */
  readonly attempts: number;
}

/**
 * Claims the due mails and postpones them at once, so that a node which dies while sending leaves them to the next attempt: after 1, 2,
 * 4 and 8 minutes and then every 15, until they expire. Expired mails are given up in the same statement.
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

/** One transaction after the other counts the mails to an address: several at once would each find that there were few. */
const lockAddress = `select pg_advisory_xact_lock(hashtextextended('mailed-address/' || ?, 0))`;
/**
 * Reads what everybody was mailed since then, by the index of `created_at`. Addresses are ASCII (protocol/formats.ts), of which `lower` makes the
 * same as `emailKey`, whatever the locale.
 */
const countAddressLinks = `
  select count(*)::int as count from mails
  where created_at > ? and kind in ('verify_email', 'verify_account', 'change_email', 'change_account_email') and lower(recipient) = ?`;
/** Mails with a link that proves an address, to that address within `recentMs`: whoever has them sent need not be who gets them. */
const mostAddressLinks = 5;
const recentMs = 3_600_000;

const sealingContext = (mailId: string): string => `mails/${mailId}/secret`;

function toRow(mail: SealedMail) {
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

export class MailOutbox {
  readonly #db: Queries;
  readonly #vault: Vault;

  constructor(db: Queries, vault: Vault) {
    this.#db = db;
    this.#vault = vault;
  }

  /** Encryption takes a turn of the event loop, so it is done before the transaction. */
  async seal(mail: NewMail): Promise<SealedMail> {
    const { secret, mailId = randomUUID(), ...rest } = mail;
    return { ...rest, mailId, sealed: await this.#vault.seal(sealingContext(mailId), secret) };
  }

  /** Adds the mail to the unit of work. Wake the sender after the commit. */
  queue(em: EntityManager, mail: SealedMail): void {
    em.create(Mail, toRow(mail));
  }

  /** Adds a mail that is never sent, where a transaction must take as long as one that sends. */
  discard(em: EntityManager, mail: SealedMail, reason: string): void {
    em.create(Mail, { ...toRow(mail), secret: null, nextAttemptAt: null, lastError: reason });
  }

  /**
   * Whether the address may be mailed another link that proves it: of an account made with it, or of a change to it. Five within an hour, however it
   * was written and for whichever accounts. Queue the mail in the same transaction. `now` in epoch milliseconds.
   */
  async mayMailLink(em: EntityManager, email: string, now: number): Promise<boolean> {
    const key = emailKey(email);
    await em.execute(lockAddress, [key]);
    const since = new Date(now - recentMs);
    const [found] = await em.execute<{ count: number }[]>(countAddressLinks, [since, key]);
    return found !== undefined && found.count < mostAddressLinks;
  }

  /** Inserts the mails that are not there yet. */
  async queueOnce(em: EntityManager, mails: readonly SealedMail[]): Promise<void> {
    if (mails.length > 0) await em.upsertMany(Mail, mails.map(toRow), { onConflictAction: 'ignore' });
  }

  /** Claims up to `limit` mails that are due at `now` (epoch milliseconds). No two nodes claim the same mail. */
  async claim(now: number, limit: number): Promise<ClaimedMail[]> {
    type Row = Omit<ClaimedMail, 'secret'> & { readonly sealed: string };
    const rows = await this.#db.query<Row>(claimDue, [new Date(now), mailKinds, limit], 'mails.claim');
    const opened = await Promise.all(rows.map(({ sealed, ...mail }) => this.#open(mail, sealed)));
    return opened.filter(mail => mail !== undefined);
  }

  /** A secret that cannot be opened (its key has left the ring) holds up its own mail only. */
  async #open(mail: Omit<ClaimedMail, 'secret'>, sealed: string): Promise<ClaimedMail | undefined> {
    try {
      return { ...mail, secret: await this.#vault.open(sealingContext(mail.mailId), sealed) };
    } catch (error) {
      await this.markFailed(mail.mailId, error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  /** The mail server has accepted it: its secret is erased. `now` in epoch milliseconds. */
  async markSent(mailId: string, now: number): Promise<void> {
    await this.#db.query(markSent, [mailId, new Date(now)], 'mails.sent');
  }

  /** Keeps the reason; the next attempt was set when the mail was claimed. */
  async markFailed(mailId: string, error: string): Promise<void> {
    await this.#db.query(
      markFailed,
      [mailId, error.slice(0, 1000).toWellFormed().replaceAll('\0', '')],
      'mails.failed',
    );
  }
}

const selectOwners = `
  select u.email from projects p
  join workspace_members m on m.workspace_id = p.workspace_id and m.role = 'owner'
  join users u on u.user_id = m.user_id
  where p.project_id = $1 and u.email_verified_at is not null`;

/** Milliseconds after which such a notice is useless. */
const usefulMs = 86_400_000;

/** A notice to the owners of the workspace that a project is in. */
export interface OwnerMail {
  /** Identifies the notice: one mail per owner and notice. */
  readonly noticeId: string;
  readonly projectId: string;
  readonly kind: MailKind;
  /** What the text of the mail is made from. */
  readonly content: unknown;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * Queues one mail to each owner, in one transaction. Repeating it changes nothing. Owners whose address nothing has proven get none: it may be a
 * stranger's, and what the mail is about is named by whoever made the account.
 */
export async function mailOwners(db: Database, mails: MailOutbox, mail: OwnerMail): Promise<void> {
  const now = new Date(mail.now);
  const owners = await db.query<{ email: string }>(selectOwners, [mail.projectId]);
  const sealed = await Promise.all(
    owners.map(({ email }) =>
      mails.seal({
        mailId: createHash('sha256').update(`${mail.noticeId}/${email}`).digest('hex'),
        kind: mail.kind,
        recipient: email,
        secret: JSON.stringify(mail.content),
        now,
        expiresAt: new Date(mail.now + usefulMs),
      }),
    ),
  );
  await db.em().transactional(em => mails.queueOnce(em, sealed));
}
