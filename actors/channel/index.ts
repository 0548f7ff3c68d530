/**
 * Channels: where conversations come from and go to. The actor kind `channel` holds a channel's configuration and status
 * (`createChannelKind`, `channelSnapshot`). `getProvider` says what a channel kind allows and how its messages leave.
 * `reportReceipt` brings a delivery receipt to the thread of its message, or parks it until the message is known. `connectChatapp` and
 * `disconnectChatapp` do it with a chatapp channel's number; what its provider sends is worked through by webhooks.ts.
 */
export type {
  AcknowledgeCommand,
  CreateChannel,
  ReceiptOutcome,
  RecordReceipts,
  UpdateChannel,
} from './commands.ts';
export { connectChatapp, type ConnectServices, disconnectChatapp, getSecretContext } from './connect.ts';
export { createChannelKind } from './kind.ts';
export { getProvider, type Receipt, type ServiceWindowRule } from './providers.ts';
export { type ReceiptReport, reportReceipt } from './receipts.ts';
export { type ChannelRow, channelSnapshot, decodeChannel } from './snapshot.ts';
export { type ChatappState, toChannel, toChatappStatus } from './state.ts';
export type { ReceiveFromProvider, WebhookServices } from './webhooks.ts';
