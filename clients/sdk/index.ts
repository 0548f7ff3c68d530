/** `@skein/sdk`: the client of a Skein server. The README has a page of examples, docs/guide/sdk.md all of it. */
export { Call, type Answer, type CallOptions, type EditOptions, type RateLimit } from './call.ts';
export { Skein, type ClientOptions } from './client.ts';
export {
  ApiError,
  AuthError,
  ConnectionError,
  RateLimitError,
  SkeinError,
  TimeoutError,
  ValidationError,
  type ErrorAnswer,
  type Issue,
} from './errors.ts';
export type { AttachmentExtras, MessageExtras } from './extras.ts';
export { apiVersion, type OperationId } from './generated/operations.ts';
export type * from './generated/resources.ts';
export type * from './generated/types.ts';
export { Listing, type Page } from './listing.ts';
export type { RequestInput } from './operation.ts';
export type { Disconnect, EventStream, StreamOptions, WebSocketFactory } from './stream.ts';
export type { Cursor, SocketLike, StreamItem } from './stream-connection.ts';
export type { Attempt, FetchFunction } from './transport.ts';
export type { UploadOptions } from './uploads.ts';
