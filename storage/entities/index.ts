/** The tables as entities of the ORM. A test holds them against the migrated schema. */
export {
  EmailToken,
  LoginChallenge,
  Passkey,
  PasskeyChallenge,
  RecoveryCode,
  SecondFactor,
  selectDisplayName,
  selectHasSecondFactor,
  Session,
  User,
  type UserSettings,
} from './accounts.ts';
export { Agent, Budget, type FormerSecret, Loom, LoomActivation, LoomVersion, Tool } from './agents.ts';
export { entities } from './all.ts';
export { Channel } from './channels.ts';
export { ApiKey, ByokCredential, PartnerApp } from './credentials.ts';
export { ProjectStream } from './events.ts';
export { Mail } from './mail.ts';
export { SsoConnection, SsoDomain, SsoFlow } from './sso.ts';
export {
  CannedReply,
  ConsoleMember,
  Environment,
  Invitation,
  Project,
  ProjectMember,
  Workspace,
  WorkspaceMember,
} from './tenancy.ts';
