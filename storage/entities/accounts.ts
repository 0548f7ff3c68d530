/** People: accounts, their sessions, and the single-use tokens that are sent to them. */
import { defineEntity, p } from '@mikro-orm/core';
import type { AvatarColor, Profile } from '../../protocol/resources/index.ts';
import { big, id, instant, words } from './columns.ts';

/** What a user has set for the Console. What is absent has its default. */
export type UserSettings = Partial<Pick<Profile, 'theme' | 'language' | 'timeZone' | 'savedFilters'>> & {
  readonly notifications?: Partial<Profile['notifications']>;
};

/** The name by which other users know a user, of the table `users` as `u`. */
export const selectDisplayName = `coalesce(u.display_name, split_part(u.email, '@', 1))`;

/** Whether a login of a user takes more than the password: an authenticator app or a passkey. `userId`: a column or a parameter. */
export function selectHasSecondFactor(userId: string): string {
  return `(exists (select from second_factors f where f.user_id = ${userId} and f.confirmed_at is not null)
    or exists (select from passkeys k where k.user_id = ${userId}))`;
}

export const User = defineEntity({
  name: 'User',
  tableName: 'users',
  properties: {
    userId: id().primary(),
    /** As the user wrote it. */
    email: p.text(),
    /** What makes two addresses the same: trimmed, NFC, lower case. */
    emailKey: id(),
    /** Argon2id in PHC form; null until an invited user has chosen a password. */
    passwordHash: p.text().nullable(),
    emailVerifiedAt: instant().nullable(),
    /** Null: the beginning of the address. */
    displayName: p.text().nullable(),
    avatarColor: p.text().$type<AvatarColor>().nullable(),
    settings: p.json<UserSettings>().nullable(),
    /** When the user deleted the account: the row is without anything of theirs, and stays for what names it. */
    deletedAt: instant().nullable(),
    createdAt: instant(),
    updatedAt: instant(),
  },
  uniques: [{ name: 'users_email_key', properties: ['emailKey'] }],
});

/**
 * A refresh family (storage/accounts/sessions.ts). The row holds the newest refresh token and its immediate predecessor, hashed; any other
 * token that names the family is a reuse, and revokes it.
 */
export const Session = defineEntity({
  name: 'Session',
  tableName: 'sessions',
  properties: {
    sessionId: id().primary(),
    userId: id(),
    familyId: id(),
    tokenHash: p.blob(),
    previousTokenHash: p.blob().nullable(),
    rotatedAt: instant().nullable(),
    /** 14 days after the last use. */
    idleExpiresAt: instant(),
    /** 30 days after the login, whatever happens. */
    expiresAt: instant(),
    revokedAt: instant().nullable(),
    address: p.text().nullable(),
    userAgent: p.text().nullable(),
    /** The workspace whose identity provider vouched for the user; null: the session was opened otherwise. */
    signedOnBy: p.text().nullable(),
    createdAt: instant(),
    updatedAt: instant(),
  },
  uniques: [{ name: 'sessions_token_hash', properties: ['tokenHash'] }],
  indexes: [
    {
      name: 'sessions_previous_token_hash',
      properties: ['previousTokenHash'],
      where: 'previous_token_hash is not null',
    },
    { name: 'sessions_family', properties: ['familyId'] },
    { name: 'sessions_user', properties: ['userId', 'expiresAt'] },
    { name: 'sessions_expires', properties: ['expiresAt'] },
  ],
});

/** A single-use token that was e-mailed: verification (24 h), password reset (60 min) or change of address (24 h). */
export const EmailToken = defineEntity({
  name: 'EmailToken',
  tableName: 'email_tokens',
  properties: {
    tokenHash: p.blob().primary(),
    purpose: p.enum(['verify', 'reset', 'change'] as const),
    userId: id(),
    /** The address that the token proves; a later change of address voids it. */
    email: p.text(),
    createdAt: instant(),
    expiresAt: instant(),
    usedAt: instant().nullable(),
  },
  indexes: [
    { name: 'email_tokens_user', properties: ['userId', 'purpose'] },
    { name: 'email_tokens_expires', properties: ['expiresAt'] },
  ],
});

/** A user's authenticator app, and the count of wrong codes (storage/accounts/second-factors.ts). */
export const SecondFactor = defineEntity({
  name: 'SecondFactor',
  tableName: 'second_factors',
  properties: {
    userId: id().primary(),
    /** JWE, context `second_factors/<id>/secret`. Null: no app, the user has passkeys alone. */
    secret: p.text().nullable(),
    /** Null: not asked for yet. */
    confirmedAt: instant().nullable(),
    /** The step of the last code that was accepted: none up to it is accepted again. */
    lastStep: big(),
    /** Wrong codes in a row since `failingSince`. */
    failures: p.integer().default(0),
    failingSince: instant().nullable(),
    createdAt: instant(),
    updatedAt: instant(),
  },
});

/** A recovery code, in the place of a code of the app, once. */
export const RecoveryCode = defineEntity({
  name: 'RecoveryCode',
  tableName: 'recovery_codes',
  properties: {
    codeHash: p.blob().primary(),
    userId: id(),
    createdAt: instant(),
    usedAt: instant().nullable(),
  },
  indexes: [{ name: 'recovery_codes_user', properties: ['userId'] }],
});

/** A login whose password was right and whose code is still to come (storage/accounts/login-challenges.ts). */
export const LoginChallenge = defineEntity({
  name: 'LoginChallenge',
  tableName: 'login_challenges',
  properties: {
    challengeHash: p.blob().primary(),
    userId: id(),
    attempts: p.integer().default(0),
    /** As of the session that it becomes. */
    signedOnBy: p.text().nullable(),
    createdAt: instant(),
    expiresAt: instant(),
  },
  indexes: [
    { name: 'login_challenges_user', properties: ['userId'] },
    { name: 'login_challenges_expires', properties: ['expiresAt'] },
  ],
});

/** A WebAuthn credential of a user (storage/accounts/passkeys.ts). */
export const Passkey = defineEntity({
  name: 'Passkey',
  tableName: 'passkeys',
  properties: {
    passkeyId: id().primary(),
    userId: id(),
    /** As the authenticator chose it. */
    credentialId: p.blob(),
    /** COSE key. */
    publicKey: p.blob(),
    /** Of signatures, as the authenticator counts them; 0 for ever where it does not. */
    counter: big(),
    /** How browsers reach the authenticator: `internal`, `usb`, `hybrid` and the like. */
    transports: words(),
    name: p.text(),
    /** Whether its maker keeps copies of it, on the user's other devices. */
    backedUp: p.boolean(),
    createdAt: instant(),
    lastUsedAt: instant().nullable(),
  },
  uniques: [{ name: 'passkeys_credential', properties: ['credentialId'] }],
  indexes: [{ name: 'passkeys_user', properties: ['userId', 'passkeyId'] }],
});

/** What an authenticator has to sign, once, within 5 minutes (storage/accounts/passkey-challenges.ts). */
export const PasskeyChallenge = defineEntity({
  name: 'PasskeyChallenge',
  tableName: 'passkey_challenges',
  properties: {
    challengeHash: p.blob().primary(),
    ceremony: p.enum(['register', 'login', 'second_factor'] as const),
    /** Null in a login without a password: the passkey says who it is. */
    userId: id().nullable(),
    createdAt: instant(),
    expiresAt: instant(),
  },
  indexes: [
    { name: 'passkey_challenges_user', properties: ['userId'] },
    { name: 'passkey_challenges_expires', properties: ['expiresAt'] },
  ],
});

/** A single-use ticket for the Console stream, valid for 30 seconds. */
export const StreamTicket = defineEntity({
  name: 'StreamTicket',
  tableName: 'stream_tickets',
  properties: {
    ticketHash: p.blob().primary(),
    projectId: id(),
    /** Who asked for it: a user's session or an API key. */
    userId: id().nullable(),
    sessionId: id().nullable(),
    apiKeyId: id().nullable(),
    createdAt: instant(),
    expiresAt: instant(),
    usedAt: instant().nullable(),
  },
  indexes: [{ name: 'stream_tickets_expires', properties: ['expiresAt'] }],
});
