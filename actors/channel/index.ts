/**
 * Channels: where conversations come from and go to. The actor kind `channel` holds a channel's configuration and status
 * (`createChannelKind`, `channelSnapshot`). `getProvider` says what a channel kind allows and how its messages leave.
 * `reportReceipts` brings delivery receipts to the thread of their message, or parks them until the message is known. `connectChatapp` and
 * `disconnectChatapp` do it with a chatapp channel's number; what its provider sends is worked through by webhooks.ts.
 */
export type {
  AcknowledgeCommand,
  ChannelNotice,
  CreateChannel,
  DoWork,
  MarkRead,
  ReceiptOutcome,
  RecordReceipts,
  SettleAttachment,
  UpdateChannel,
} from './commands.ts';
export { connectChatapp, type ConnectServices, disconnectChatapp } from './connect.ts';
export {
  createLoss,
  type CredentialServices,
  findConnectionApp,
  getSecretContext,
  openConnection,
  type OpenConnection,
} from './credentials.ts';
export { removeLeftFolders } from './file-folders.ts';
export { type ChannelServices, createChannelKind } from './kind.ts';
export { getProvider, type Receipt, type ServiceWindowRule } from './providers.ts';
export { type ReceiptReport, reportReceipts } from './receipts.ts';
export { type ChannelRow, channelSnapshot, decodeChannel } from './snapshot.ts';
export { type ChatappState, toChannel, toChatappStatus, type Work } from './state.ts';
export { ChannelTurns } from './turns.ts';
export type { ProviderMessage, ReceiveFromProvider } from './webhook-task.ts';
