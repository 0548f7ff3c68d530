/**
 * The chat provider of chatapp channels, and nothing of ours beside it: its API (`Graph`), how a number is connected and disconnected
 * (`connectNumber`, `disconnectNumber`), its webhooks (`isSignedBy`, `concerns`, `readMessages`, `readStatuses`), and what it takes of our
 * messages (`findMessageObstacle`, `sendMessage`).
 */
export {
  ConnectFailed,
  type ConnectedNumber,
  connectNumber,
  type ConnectRequest,
  disconnectNumber,
} from './connect.ts';
export {
  inspectToken,
  isTokenRefusal,
  listSubscribedApps,
  type PartnerAppKeys,
  renewToken,
  type TokenFacts,
} from './credentials.ts';
export {
  defaultGraph,
  defaultSignupHost,
  Graph,
  type GraphAddress,
  type GraphCredentials,
  GraphError,
} from './graph.ts';
export type { ChatappFile } from './content.ts';
export { describeContent } from './describe.ts';
export { findFileObstacle } from './limits.ts';
export {
  downloadMedia,
  type FetchedBytes,
  type FileRequests,
  MediaFailed,
  type Tries,
  uploadMedia,
} from './media.ts';
export { findMessageObstacle, maxTextLength, type MessageContents } from './message-limits.ts';
export { type ChatappParticipant, isParticipantName, listNames, toParticipantName } from './participants.ts';
export { type ChatappIdentity, concerns, parsePayload } from './payload.ts';
export {
  classifySendError,
  getSendRetryMs,
  isFileRefusal,
  isNumberThrottled,
  outsideWindowCode,
  type SendFailure,
  toProviderOutcome,
} from './send-errors.ts';
export { type AcceptedMessage, markRead, type MediaSource, sendMessage, toRecipient } from './send.ts';
export { type AccountReport, readAccountReport, type TemplateChange } from './management.ts';
export { checkReadiness } from './readiness.ts';
export type { ReadinessCheck, ReadinessSubject } from './readiness-checks.ts';
export {
  describeTemplate,
  findTemplate,
  findTemplateObstacle,
  listTemplates,
  type TemplatePage,
  type TemplateQuery,
} from './templates.ts';
export { isSignedBy } from './signature.ts';
export {
  type ChatappConversation,
  type ChatappPricing,
  type ChatappStatus,
  readStatuses,
} from './statuses.ts';
export { type ChatappMessage, listReferences, readMessages } from './webhook.ts';
