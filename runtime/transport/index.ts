/**
 * How commands cross between nodes. An `Envelope` is sent to the owner of its actor's shard; `LocalTransport` serves nodes that share a
 * process, `NatsTransport` a cluster. Both carry the same text (wire.ts), and one conformance suite tests them.
 */
export { LocalTransport } from './local.ts';
export { NatsTransport } from './nats.ts';
export type { Envelope, EnvelopeHandler, Release, Transport } from './transport.ts';
