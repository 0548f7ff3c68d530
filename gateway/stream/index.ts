/**
 * The Console stream: a project's events over a websocket, each once, in order, without gaps, resumable by a cursor. A client is
 * admitted (admit.ts), becomes a subscriber (subscriber.ts has its states), reads what it missed from the log (catch-up.ts), and
 * then gets what the hub publishes (hub.ts). gRPC subscribers use the same parts.
 */
export type { Admission } from './admission.ts';
export type { PagedFrame } from './catch-up.ts';
export { type EphemeralEvent, publishEphemeral } from './ephemeral-events.ts';
export { closeCodes, type ResetReason } from './frames.ts';
export type { ProjectStream, StreamEvent, StreamListener } from './project-stream.ts';
export { serveConsoleStream } from './serve.ts';
export { maxBufferedBytes, type StreamContext, Subscriber } from './subscriber.ts';
