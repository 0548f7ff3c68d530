/** What a user changes of their own account, and the mail that tells whoever has its address. */
import { LockMode } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { UserAuditContext } from '../audit/index.ts';
import { User } from '../entities/index.ts';
import type { AccountNotice, MailOutbox } from '../mail/index.ts';
import type { RefuseAccount } from './refusal.ts';

/** A change by a user whose password was checked against this hash. */
export interface AccountChange extends UserAuditContext {
  readonly checkedHash: string | null;
}

/** The locked user. Refused where the password is not the one that was checked any more. */
export async function lockUser(
  em: EntityManager,
  { byUserId: userId, checkedHash }: AccountChange,
  refuse: RefuseAccount,
): Promise<InferEntity<typeof User>> {
  const user = await em.findOne(User, { userId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (user === null || checkedHash === null || user.passwordHash !== checkedHash) {
    throw refuse('wrong_password');
  }
  return user;
}

/** Milliseconds that a notice is worth sending. */
export const noticeMs = 24 * 3_600_000;

/** The address of an account, and when it was proven. */
interface AccountAddress {
  readonly email: string;
  readonly emailVerifiedAt?: Date | null | undefined;
}

/**
 * Queues a mail that tells whoever has the address what was done with the account. None to an address that nothing has proven: it may be a
 * stranger's, to whom somebody would have one mailed by each change that they make.
 */
export async function tellAccount(
  em: EntityManager,
  mails: MailOutbox,
  { email: recipient, emailVerifiedAt }: AccountAddress,
  notice: Pick<AccountNotice, 'what' | 'email'>,
  { origin, now }: UserAuditContext,
): Promise<void> {
  if (!emailVerifiedAt) return;
  const at = new Date(now);
  const content: AccountNotice = { ...notice, at: at.toISOString(), from: origin.address };
  const mail = await mails.seal({
    kind: 'account_notice',
    recipient,
    secret: JSON.stringify(content),
    now: at,
    expiresAt: new Date(now + noticeMs),
  });
  mails.queue(em, mail);
}
