/** A user's own account: its sessions, and what the user changes of it. */
import Type from 'typebox';
import type { Static } from 'typebox';
import {
  body,
  emailAddress,
  id,
  instant,
  newPassword,
  nullable,
  resource,
  secondFactorProof,
  text,
} from './fields.ts';

/** What the client called itself, read from its user agent; null where it does not say. */
const SessionDevice = resource('SessionDevice', {
  browser: nullable(Type.String()),
  system: nullable(Type.String()),
});

/** One login of the user, on one device. */
export const Session = resource('Session', {
  sessionId: id('session'),
  current: Type.Boolean(),
  device: SessionDevice,
  userAgent: nullable(Type.String()),
  address: nullable(Type.String()),
  createdAt: instant(),
  lastUsedAt: instant(),
  expiresAt: instant(),
});
export type Session = Static<typeof Session>;

export const EndedSessions = resource('EndedSessions', { ended: Type.Integer({ minimum: 0 }) });
export type EndedSessions = Static<typeof EndedSessions>;

/** The present password is not validated as a new one: what does not fit is simply wrong (401). */
const presentPassword = () => text(1, 256);

export const ChangePasswordBody = body('ChangePasswordBody', {
  password: presentPassword(),
  newPassword: newPassword(),
  ...secondFactorProof,
});
export type ChangePasswordBody = Static<typeof ChangePasswordBody>;

export const ChangeEmailBody = body('ChangeEmailBody', {
  newEmail: emailAddress(),
  password: presentPassword(),
});
export type ChangeEmailBody = Static<typeof ChangeEmailBody>;

export const ConfirmEmailBody = body('ConfirmEmailBody', {
  token: text(1, 512),
  password: presentPassword(),
});
export type ConfirmEmailBody = Static<typeof ConfirmEmailBody>;

export const DeleteAccountBody = body('DeleteAccountBody', { password: presentPassword() });
export type DeleteAccountBody = Static<typeof DeleteAccountBody>;

/** `enabled`, `since`: of the authenticator app; null: there is none. */
export const SecondFactor = resource('SecondFactor', {
  enabled: Type.Boolean(),
  since: nullable(instant()),
  recoveryCodesLeft: Type.Integer({ minimum: 0 }),
  passkeys: Type.Integer({ minimum: 0 }),
});
export type SecondFactor = Static<typeof SecondFactor>;

/** Shown once. */
export const SecondFactorEnrolment = resource('SecondFactorEnrolment', {
  secret: Type.String(),
  uri: Type.String(),
});
export type SecondFactorEnrolment = Static<typeof SecondFactorEnrolment>;

/** Shown once, each of use once. */
export const RecoveryCodes = resource('RecoveryCodes', { recoveryCodes: Type.Array(Type.String()) });
export type RecoveryCodes = Static<typeof RecoveryCodes>;

/** Not validated as a code: what does not fit is simply wrong (401). */
const code = () => text(1, 32);

export const SecondFactorBody = body('SecondFactorBody', { password: presentPassword() });
export type SecondFactorBody = Static<typeof SecondFactorBody>;

export const SecondFactorCodeBody = body('SecondFactorCodeBody', { code: code() });
export type SecondFactorCodeBody = Static<typeof SecondFactorCodeBody>;

export const PasswordAndCodeBody = body('PasswordAndCodeBody', { password: presentPassword(), code: code() });
export type PasswordAndCodeBody = Static<typeof PasswordAndCodeBody>;

export const SecondFactorLoginBody = body('SecondFactorLoginBody', { challenge: text(1, 512), code: code() });
export type SecondFactorLoginBody = Static<typeof SecondFactorLoginBody>;
