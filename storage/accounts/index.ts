/** Users: accounts, sessions, password resets, and the acceptance of invitations. */
export { Acceptance, type Invited } from './acceptance.ts';
export { AccountChanges } from './account-changes.ts';
export type { AccountChange } from './account-notices.ts';
export { AccountRemoval, LastOwner } from './account-removal.ts';
export { Accounts, type LoginAccount } from './accounts.ts';
export { type ListedSession, OwnSessions } from './own-sessions.ts';
export { PasskeyChallenges } from './passkey-challenges.ts';
export { PasskeyLogins } from './passkey-logins.ts';
export { type ListedPasskey, Passkeys } from './passkeys.ts';
export { PasswordResets } from './password-resets.ts';
export { findProfile, type ProfileChanges, TooManySavedFilters, updateProfile } from './profiles.ts';
export { challengeMs, LoginChallenges, openChallenge, SecondFactorRequired } from './login-challenges.ts';
export { toEmailDomain } from './required-sign-on.ts';
export { findMethods, forgetSecondFactor, SecondFactors } from './second-factors.ts';
export type { AccountRefusal, RefuseAccount } from './refusal.ts';
export { isUserVerified } from './verified.ts';
export { type RelyingParty, toRelyingParty } from './webauthn.ts';
export { type LiveSession, type LoginClient, type OpenSession, Sessions } from './sessions.ts';
