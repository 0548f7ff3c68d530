/**
 * The operation table: every REST operation, by its id. Routing, validation, authorisation, OpenAPI and the contract tests are derived
 * from it (docs/decisions/0014-one-operation-table.md).
 */
import type { Operation } from '../operation.ts';
import { accountOperations } from './account.ts';
import { agentOperations } from './agents.ts';
import { attachmentOperations } from './attachments.ts';
import { auditOperations } from './audit.ts';
import { authOperations } from './auth.ts';
import { budgetOperations } from './budgets.ts';
import { bulkOperations } from './bulk.ts';
import { byokOperations } from './byok.ts';
import { callerOperations } from './caller.ts';
import { cannedReplyOperations } from './canned-replies.ts';
import { channelOperations } from './channels.ts';
import { chatappOperations } from './chatapp.ts';
import { consoleOperations } from './console.ts';
import { contractOperations } from './contract.ts';
import { deliveryOperations } from './deliveries.ts';
import { eventOperations } from './events.ts';
import { invitationOperations } from './invitations.ts';
import { keyOperations } from './keys.ts';
import { loomTrialOperations } from './loom-trials.ts';
import { loomOperations } from './looms.ts';
import { memberOperations } from './members.ts';
import { mentionOperations } from './mentions.ts';
import { messageOperations } from './messages.ts';
import { noteOperations } from './notes.ts';
import { partnerAppOperations } from './partner-apps.ts';
import { passkeyOperations } from './passkeys.ts';
import { presenceOperations } from './presence.ts';
import { privacyOperations } from './privacy.ts';
import { profileOperations } from './profile.ts';
import { runOperations } from './runs.ts';
import { secondFactorOperations } from './second-factor.ts';
import { ssoOperations } from './sso.ts';
import { stitchOperations } from './stitches.ts';
import { systemOperations } from './system.ts';
import { tenancyOperations } from './tenancy.ts';
import { threadOperations } from './threads.ts';
import { toolOperations } from './tools.ts';
import { usageOperations } from './usage.ts';

export const operations = {
  ...authOperations,
  ...accountOperations,
  ...secondFactorOperations,
  ...passkeyOperations,
  ...ssoOperations,
  ...profileOperations,
  ...callerOperations,
  ...tenancyOperations,
  ...invitationOperations,
  ...memberOperations,
  ...keyOperations,
  ...partnerAppOperations,
  ...auditOperations,
  ...usageOperations,
  ...budgetOperations,
  ...channelOperations,
  ...chatappOperations,
  ...threadOperations,
  ...bulkOperations,
  ...noteOperations,
  ...mentionOperations,
  ...cannedReplyOperations,
  ...presenceOperations,
  ...privacyOperations,
  ...messageOperations,
  ...attachmentOperations,
  ...byokOperations,
  ...toolOperations,
  ...loomOperations,
  ...loomTrialOperations,
  ...agentOperations,
  ...runOperations,
  ...stitchOperations,
  ...deliveryOperations,
  ...eventOperations,
  ...consoleOperations,
  ...systemOperations,
  ...contractOperations,
} as const satisfies Record<string, Operation>;

export type Operations = typeof operations;
export type OperationId = keyof Operations;
