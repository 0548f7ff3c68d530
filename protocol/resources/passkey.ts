/** Passkeys: WebAuthn credentials of a user. What browsers and authenticators say is in the JSON form of WebAuthn Level 3. */
import Type from 'typebox';
import type { Static } from 'typebox';
import { body, id, instant, nullable, optional, resource, secondFactorProof, text } from './fields.ts';

const name = () => text(1, 64);

export const Passkey = resource('Passkey', {
  passkeyId: id('passkey'),
  name: name(),
  backedUp: Type.Boolean(),
  createdAt: instant(),
  lastUsedAt: nullable(instant()),
});
export type Passkey = Static<typeof Passkey>;

/** What WebAuthn defines, and browsers check. */
const asDefinedByWebAuthn = () => Type.Unsafe<Record<string, unknown>>({ type: 'object' });

export const PasskeyOptions = resource('PasskeyOptions', { options: asDefinedByWebAuthn() });
export type PasskeyOptions = Static<typeof PasskeyOptions>;

/** The present password is not validated as a new one: what does not fit is simply wrong (401). */
const presentPassword = () => text(1, 256);

export const BeginPasskeyBody = body('BeginPasskeyBody', {
  password: presentPassword(),
  ...secondFactorProof,
});
export type BeginPasskeyBody = Static<typeof BeginPasskeyBody>;

export const CreatePasskeyBody = body('CreatePasskeyBody', { name: name(), response: asDefinedByWebAuthn() });
export type CreatePasskeyBody = Static<typeof CreatePasskeyBody>;

/** The codes are shown once. */
export const AddedPasskey = resource('AddedPasskey', {
  passkey: Passkey,
  recoveryCodes: Type.Array(Type.String()),
});
export type AddedPasskey = Static<typeof AddedPasskey>;

export const UpdatePasskeyBody = body('UpdatePasskeyBody', { name: name() });
export type UpdatePasskeyBody = Static<typeof UpdatePasskeyBody>;

export const RemovePasskeyBody = body('RemovePasskeyBody', {
  password: presentPassword(),
  ...secondFactorProof,
});
export type RemovePasskeyBody = Static<typeof RemovePasskeyBody>;

const challenge = () => optional(text(1, 512));

export const PasskeyLoginOptionsBody = body('PasskeyLoginOptionsBody', { challenge: challenge() });
export type PasskeyLoginOptionsBody = Static<typeof PasskeyLoginOptionsBody>;

export const PasskeyLoginBody = body('PasskeyLoginBody', {
  challenge: challenge(),
  response: asDefinedByWebAuthn(),
});
export type PasskeyLoginBody = Static<typeof PasskeyLoginBody>;
