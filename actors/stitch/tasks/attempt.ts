/** One attempt of a delivery: what it says to the receiver, and what it leaves. */
import type { OutboundRequest, OutboundResult } from '../../../runtime/outbound/index.ts';
import type { Span } from '../../../runtime/observability/index.ts';
import type { AttemptResult } from '../commands.ts';
import type { Delivery } from '../queue.ts';

/** A result; or the request was not made, since the node goes down (abandoned) or the stitch was stopped (withdrawn). */
export type Attempt = AttemptResult | 'abandoned' | 'withdrawn';

export function createHeaders(
  { eventId, deliveryId, attempts }: Delivery,
  span: Span | undefined,
): OutboundRequest['headers'] {
  return {
    'content-type': 'application/json',
    'user-agent': 'Skein-Stitch/1',
    'Service-Event-Id': eventId,
    'Service-Delivery-Id': deliveryId,
    'Service-Attempt': String(attempts + 1),
    ...(span !== undefined && { traceparent: span.traceparent }),
  };
}

export function endSpan(span: Span, result: Attempt): void {
  const { status = null, failure = null } = typeof result === 'string' ? { failure: result } : result;
  if (status !== null) span.set({ 'http.response.status_code': status });
  const isRefused = status !== null && (status < 200 || status > 299);
  span.end(failure ?? (isRefused ? String(status) : undefined));
}

export function toAttemptResult(delivery: Delivery, result: OutboundResult, jitter: number): AttemptResult {
  const { at, durationMs, status, body, failure, error, retryAfter } = result;
  return {
    delivery,
    at,
    durationMs,
    status: status ?? null,
    body: body === undefined ? null : toStorable(body),
    failure: failure ?? null,
    error: error === undefined ? null : toStorable(error),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    jitter,
  };
}

/** PostgreSQL cannot hold U+0000. Invalid UTF-8 has been replaced already. */
function toStorable(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text;
}
