/**
 * The chat provider of chatapp channels, and nothing of ours beside it: its API (`Graph`), how a number is connected and disconnected
 * (`connectNumber`, `disconnectNumber`), and its webhooks (`isSignedBy`, `concerns`, `readMessages`).
 */
export {
  ConnectFailed,
  type ConnectedNumber,
  connectNumber,
  type ConnectRequest,
  disconnectNumber,
  type PartnerAppKeys,
} from './connect.ts';
export { defaultGraph, Graph, type GraphAddress } from './graph.ts';
export { isSignedBy } from './signature.ts';
export {
  type ChatappIdentity,
  type ChatappMessage,
  concerns,
  listParticipants,
  parsePayload,
  readMessages,
} from './webhook.ts';
