/**
 * The operation table: `operations` has one row for each REST operation, by its id. The rows of an area stand in a file of their own; what
 * they share is in rules.ts.
 */
export type { agentOperations } from './agents.ts';
export type { attachmentOperations } from './attachments.ts';
export type { auditOperations } from './audit.ts';
export type { accountOperations } from './account.ts';
export type { secondFactorOperations } from './second-factor.ts';
export type { authOperations } from './auth.ts';
export type { budgetOperations } from './budgets.ts';
export type { bulkOperations } from './bulk.ts';
export type { byokOperations } from './byok.ts';
export type { callerOperations } from './caller.ts';
export type { cannedReplyOperations } from './canned-replies.ts';
export { channelOperations } from './channels.ts';
export type { chatappOperations } from './chatapp.ts';
export type { consoleOperations } from './console.ts';
export type { contractOperations } from './contract.ts';
export type { deliveryOperations } from './deliveries.ts';
export type { eventOperations } from './events.ts';
export { listForbiddenScopes, type Roles, toStudioRole } from './grants.ts';
export type { invitationOperations } from './invitations.ts';
export type { keyOperations } from './keys.ts';
export type { loomTrialOperations } from './loom-trials.ts';
export type { loomOperations } from './looms.ts';
export type { memberOperations } from './members.ts';
export type { mentionOperations } from './mentions.ts';
export { messageOperations } from './messages.ts';
export type { noteOperations } from './notes.ts';
export type { partnerAppOperations } from './partner-apps.ts';
export type { passkeyOperations } from './passkeys.ts';
export type { presenceOperations } from './presence.ts';
export type { privacyOperations } from './privacy.ts';
export { access } from './rules.ts';
export type { profileOperations } from './profile.ts';
export type { runOperations } from './runs.ts';
export type { ssoOperations } from './sso.ts';
export type { stitchOperations } from './stitches.ts';
export type { systemOperations } from './system.ts';
export { type OperationId, operations } from './table.ts';
export type { tenancyOperations } from './tenancy.ts';
export { threadOperations } from './threads.ts';
export type { toolOperations } from './tools.ts';
export type { usageOperations } from './usage.ts';
