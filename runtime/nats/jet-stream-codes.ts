/** Why JetStream refuses something. */
import { NatsError } from 'nats';

/** Its error codes (nats-server, server/errors.json). */
export const jetStreamCodes = {
  notEnabledForAccount: 10_039,
  notEnabled: 10_076,
  replicasNotSupported: 10_074,
  noSuitablePeers: 10_005,
  insufficientResources: 10_023,
  streamNotFound: 10_059,
  wrongLastSequence: 10_071,
} as const;

/** Undefined: the error is no answer of JetStream. */
export function getJetStreamCode(error: unknown): number | undefined {
  return error instanceof NatsError ? error.api_error?.err_code : undefined;
}
