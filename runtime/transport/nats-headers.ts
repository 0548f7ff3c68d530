/** The headers of a command between nodes: what the server's tools and tracing can see, and what time it was when it was sent. */
import { headers, type MsgHdrs } from 'nats';
import type { Envelope } from './transport.ts';

const deadlineHeader = 'Skein-Deadline';
const sentHeader = 'Skein-Sent';
const requestIdHeader = 'Skein-Request-Id';
const traceparentHeader = 'traceparent';

/**
 * How far apart two clocks may be before it counts. Less than that is the time that a message takes, or does not matter to a
 * deadline of seconds.
 */
const toleranceMs = 2_000;

/** Epoch milliseconds by the sender's clock. */
export interface SentTimes {
  readonly deadline: number;
  readonly sent: number;
}

/** `now`: epoch milliseconds. */
export function headersOf({ deadline, requestId, traceparent }: Envelope, now: number): MsgHdrs {
  const made = headers();
  made.set(deadlineHeader, String(deadline));
  made.set(sentHeader, String(now));
  if (requestId !== undefined && isPlain(requestId)) made.set(requestIdHeader, requestId);
  if (traceparent !== undefined && isPlain(traceparent)) made.set(traceparentHeader, traceparent);
  return made;
}

/** Undefined when there are none. */
export function timesOf(given: MsgHdrs | undefined): SentTimes | undefined {
  const [deadline, sent] = [Number(given?.get(deadlineHeader)), Number(given?.get(sentHeader))];
  return deadline > 0 && sent > 0 ? { deadline, sent } : undefined;
}

/** An instant of the sender's clock by the clock here, which may be minutes apart from it. `now`: this clock's. */
export function hereTime(instant: number, { sent }: SentTimes, now: number): number {
  const apart = now - sent;
  return Math.abs(apart) > toleranceMs ? instant + apart : instant;
}

/** The envelope's text carries everything; a header carries what a header can. */
function isPlain(text: string): boolean {
  return /^[\x20-\x7e]{0,256}$/.test(text);
}
