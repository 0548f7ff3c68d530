/** The connection to NATS, under the transport of runtime/transport and the register and peers of runtime/cluster. */
export { NatsConnection, NatsRefused } from './connection.ts';
export { getJetStreamCode, jetStreamCodes } from './jet-stream-codes.ts';
export { type NatsReport, probeNats } from './probe.ts';
