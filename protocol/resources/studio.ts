/** Sign-up, sessions and the Studio user. */
import Type from 'typebox';
import type { Static } from 'typebox';
import { body, choice, emailAddress, id, newPassword, optional, resource, text } from './fields.ts';

export const workspaceRoles = ['owner', 'admin', 'viewer'] as const;
export type WorkspaceRole = (typeof workspaceRoles)[number];
export const projectRoles = ['developer', 'viewer'] as const;
export type ProjectRole = (typeof projectRoles)[number];

export const StudioUser = resource('StudioUser', {
  userId: id('user'),
  email: Type.String(),
  emailVerified: Type.Boolean(),
  workspaceId: id('workspace'),
  workspaceRole: choice(workspaceRoles),
  projectId: optional(id('project')),
  projectRole: optional(choice(projectRoles)),
});
export type StudioUser = Static<typeof StudioUser>;

/** `expiresIn` is in seconds. */
export const TokenResponse = resource('TokenResponse', {
  accessToken: Type.String(),
  tokenType: Type.Literal('Bearer'),
  expiresIn: Type.Integer({ exclusiveMinimum: 0 }),
});
export type TokenResponse = Static<typeof TokenResponse>;

export const Accepted = resource('Accepted', { accepted: Type.Literal(true) });
export type Accepted = Static<typeof Accepted>;

/** The web apps that mails lead to. */
export const mailedApps = ['studio', 'console'] as const;
export type MailedApp = (typeof mailedApps)[number];

/** `app`: where the mailed link leads; default: Studio. */
export const SignUpBody = body('SignUpBody', {
  email: emailAddress(),
  password: newPassword(),
  workspaceName: optional(text(1, 256)),
  app: optional(choice(mailedApps, { default: 'studio' })),
});
export type SignUpBody = Static<typeof SignUpBody>;

/** Not validated as an address or a new password: what does not fit is simply wrong (401). */
export const LoginBody = body('LoginBody', { email: text(0, 320), password: text(1, 256) });
export type LoginBody = Static<typeof LoginBody>;

/** 512 code points limit what has to be hashed; real tokens are far shorter. */
export const VerifyEmailBody = body('VerifyEmailBody', { token: text(1, 512) });
export type VerifyEmailBody = Static<typeof VerifyEmailBody>;

/**
 * Not validated as an address: an impossible one gets the same answer as any other without an account. `app`: where the mailed link leads;
 * default: Studio.
 */
export const ForgotPasswordBody = body('ForgotPasswordBody', {
  email: text(0, 320),
  app: optional(choice(mailedApps, { default: 'studio' })),
});
export type ForgotPasswordBody = Static<typeof ForgotPasswordBody>;

/** As in a sign-up. */
export const ResendVerificationQuery = Type.Object({
  app: optional(choice(mailedApps, { default: 'studio' })),
});

export const ResetPasswordBody = body('ResetPasswordBody', { token: text(1, 512), password: newPassword() });
export type ResetPasswordBody = Static<typeof ResetPasswordBody>;

/** `password`: that of the invited address's account, or the one for its new account. */
export const AcceptInvitationBody = body('AcceptInvitationBody', {
  token: text(1, 512),
  password: optional(newPassword()),
});
export type AcceptInvitationBody = Static<typeof AcceptInvitationBody>;
