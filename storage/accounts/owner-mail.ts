/** Mail to the owners of the workspace that a project is in. */
import { createHash } from 'node:crypto';
import type { Database } from '../database.ts';
import type { MailKind, Mails } from './mails.ts';

const selectOwners = `
  select u.email from projects p
  join workspace_members m on m.workspace_id = p.workspace_id and m.role = 'owner'
  join users u on u.user_id = m.user_id
  where p.project_id = $1`;

/** News of this sort is of no use any more after a day. */
const usefulMs = 86_400_000;

/** News for the owners. */
export interface OwnerMail {
  /** Names the news: an owner who has a mail of it gets no second one. */
  readonly newsId: string;
  readonly projectId: string;
  readonly kind: MailKind;
  /** What the mail's text is made of. */
  readonly content: unknown;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Queues one mail for each owner, in one transaction. Doing it again changes nothing. */
export async function mailOwners(db: Database, mails: Mails, mail: OwnerMail): Promise<void> {
  const now = new Date(mail.now);
  const owners = await db.query<{ email: string }>(selectOwners, [mail.projectId]);
  const sealed = await Promise.all(
    owners.map(({ email }) =>
      mails.seal({
        mailId: createHash('sha256').update(`${mail.newsId}/${email}`).digest('hex'),
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
