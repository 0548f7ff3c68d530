/**
 * The proof that a host wants the webhooks of a stitch: its answers to a test event (`stitch.test.ping`). The event is sent twice, first with a
 * signature by another key. A receiver that refuses that one with 4xx, and accepts the other with 2xx, knows the secret of the stitch. A host
 * that answers every POST with 2xx proves nothing.
 */
import { newStitchSecret } from '../../../protocol/signature.ts';
import type { OutboundRequest, OutboundResult } from '../../../runtime/outbound/index.ts';

const pingName = '"eventName":"stitch.test.ping"';

/** Returns the request with a wrong signature. Undefined: the event is no plain test event, which no receiver acts on. */
export function forge(request: OutboundRequest): OutboundRequest | undefined {
  const { body, sign } = request;
  if (sign === undefined || typeof body !== 'string' || !body.includes(pingName)) return undefined;
  return { ...request, sign: { ...sign, secrets: [newStitchSecret()] } };
}

/** Returns whether the answer refuses the signature. 408 and 429 say nothing about it. */
export function isRefusal({ status }: OutboundResult): boolean {
  return status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 429;
}
