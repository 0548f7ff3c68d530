/**
 * What the operations do: a handler for each row of the operation table, by area. `createHandlers` makes them all for REST; gRPC takes
 * those that it serves as well. A handler gets a `Call` (gateway/pipeline), asks an actor or reads from storage, and returns an
 * `Answer`.
 */
export { ChannelDirectory } from './channel-directory.ts';
export { WebhookDirectory } from './chatapp-webhook.ts';
export { inboundMessageHandlers, resolveThread } from './inbound-messages.ts';
export { messageHandlers } from './messages.ts';
export { createHandlers } from './table.ts';
export { threadHandlers } from './threads.ts';
export type { ToolTester } from './tools.ts';
