/** Mail that has to go out: a row of the transaction that causes it. */
import { defineEntity, p } from '@mikro-orm/core';
import { id, instant } from './columns.ts';

export const Mail = defineEntity({
  name: 'Mail',
  tableName: 'mails',
  properties: {
    mailId: id().primary(),
    /** Which text to send; not constrained, so that a new kind needs no migration. A node claims only those it knows. */
    kind: id(),
    recipient: p.text(),
    /** JWE of the single-use token that the mail carries, context `mails/<id>/secret`; null once it is sent or given up. */
    secret: p.text().nullable(),
    attempts: p.integer().default(0),
    /** When to try next; null once it is sent or given up. */
    nextAttemptAt: instant().nullable(),
    /** The token's end: nothing is sent after it. */
    expiresAt: instant(),
    sentAt: instant().nullable(),
    lastError: p.text().nullable(),
    createdAt: instant(),
  },
  indexes: [
    { name: 'mails_due', properties: ['nextAttemptAt'], where: 'next_attempt_at is not null' },
    { name: 'mails_created', properties: ['createdAt'] },
  ],
});
