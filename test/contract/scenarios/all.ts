/** The scenario of every operation: one that is missing does not compile. */
import type { AnyScenario, OperationId, Scenarios } from '../scenario.ts';
import { secondFactorScenarios } from './second-factor.ts';
import { ownAccountScenarios } from './account.ts';
import { accountScenarios, profileScenarios } from './accounts.ts';
import {
  agentScenarios,
  budgetScenarios,
  byokScenarios,
  loomScenarios,
  loomTrialScenarios,
  toolScenarios,
} from './agents.ts';
import { attachmentScenarios } from './attachments.ts';
import { auditScenarios } from './audit.ts';
import { cannedReplyScenarios } from './canned-replies.ts';
import { channelScenarios } from './channels.ts';
import { chatappScenarios } from './chatapp.ts';
import { consoleScenarios, contractScenarios, mentionScenarios } from './console.ts';
import {
  bulkScenarios,
  messageScenarios,
  noteScenarios,
  presenceScenarios,
  threadScenarios,
} from './conversations.ts';
import { callerScenarios, keyScenarios } from './keys.ts';
import { partnerAppScenarios } from './partner-apps.ts';
import { passkeyScenarios } from './passkeys.ts';
import { privacyScenarios } from './privacy.ts';
import { runScenarios } from './runs.ts';
import { invitationScenarios, memberScenarios, tenancyScenarios } from './tenancy.ts';
import { ssoScenarios } from './single-sign-on.ts';
import { systemScenarios } from './system.ts';
import { usageScenarios } from './usage.ts';
import { deliveryScenarios, eventScenarios, stitchScenarios } from './webhooks.ts';

const all: Scenarios = {
  ...accountScenarios,
  ...ownAccountScenarios,
  ...secondFactorScenarios,
  ...passkeyScenarios,
  ...ssoScenarios,
  ...profileScenarios,
  ...callerScenarios,
  ...tenancyScenarios,
  ...invitationScenarios,
  ...memberScenarios,
  ...keyScenarios,
  ...partnerAppScenarios,
  ...channelScenarios,
  ...chatappScenarios,
  ...threadScenarios,
  ...bulkScenarios,
  ...noteScenarios,
  ...cannedReplyScenarios,
  ...presenceScenarios,
  ...messageScenarios,
  ...attachmentScenarios,
  ...stitchScenarios,
  ...deliveryScenarios,
  ...eventScenarios,
  ...privacyScenarios,
  ...auditScenarios,
  ...usageScenarios,
  ...budgetScenarios,
  ...byokScenarios,
  ...toolScenarios,
  ...loomScenarios,
  ...loomTrialScenarios,
  ...agentScenarios,
  ...runScenarios,
  ...consoleScenarios,
  ...mentionScenarios,
  ...systemScenarios,
  ...contractScenarios,
};

export const scenarios: Readonly<Record<OperationId, AnyScenario>> = all;
