/** The headers of a command between nodes: what the server's tools and tracing can see, and a node without reading the text. */
import { headers, type MsgHdrs } from 'nats';
import type { Envelope } from './transport.ts';

/** Milliseconds that the command has left. */
const leftHeader = 'Skein-Left';
const requestIdHeader = 'Skein-Request-Id';
const traceparentHeader = 'traceparent';

/** `now`: by the monotonic clock. */
export function headersOf({ deadline, requestId, traceparent }: Envelope, now: number): MsgHdrs {
  const made = headers();
  made.set(leftHeader, String(Math.round(deadline - now)));
  if (requestId !== undefined && isPlain(requestId)) made.set(requestIdHeader, requestId);
  if (traceparent !== undefined && isPlain(traceparent)) made.set(traceparentHeader, traceparent);
  return made;
}

/** Whether its time was over when it was sent. */
export function isTooLate(given: MsgHdrs | undefined): boolean {
  return given?.get(leftHeader).startsWith('-') === true;
}

/** The envelope's text carries everything; a header carries what a header can. */
function isPlain(text: string): boolean {
  return /^[\x20-\x7e]{0,256}$/.test(text);
}
