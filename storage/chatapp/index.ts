/** What the chat provider has sent, before anything is made of it, what it has yet to take, and the files on their way either way. */
export { type AliasedThread, findAliases, type KnownAlias } from './aliases.ts';
export { type ExternalIdHash, findErasedIds, hashExternalId } from './erased-messages.ts';
export {
  channelsWithFiles,
  type ClaimedFile,
  claimFiles,
  dropFile,
  dropUpload,
  findUpload,
  keepUpload,
  nextFileAt,
  postponeFile,
} from './files.ts';
export {
  ChatappInbox,
  channelsWithWebhooks,
  failWebhook,
  finishWebhooks,
  type NewChatappWebhook,
  openWebhooks,
  postponeWebhook,
  type WebhookPage,
} from './inbox.ts';
export { type ChatappWebhook, RecentWebhooks } from './recent-webhooks.ts';
export {
  channelsWithSends,
  type ClaimedSend,
  claimSend,
  dropSend,
  type DueSend,
  dueSends,
  markUnknown,
  nextSendAt,
  oldestSends,
  postponeSend,
  renewClaim,
  requeueSend,
  type SendError,
} from './sends.ts';
