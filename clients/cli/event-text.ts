/** Events as lines on a terminal. */
import type { EphemeralEvent, SkeinEvent } from '../sdk/index.ts';
import { toPrintable, type Output } from './output.ts';

/** The time of day. */
export function formatTime(at: string | number = Date.now()): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map(part => String(part).padStart(2, '0'))
    .join(':');
}

/** When, what, where, and the words of a message. */
export function formatEvent(output: Output, event: SkeinEvent | EphemeralEvent): string {
  const data = event.data as {
    readonly threadId?: string;
    readonly message?: unknown;
    readonly delta?: string;
  };
  const { threadId, message, delta } = data;
  const body =
    delta ?? (typeof message === 'object' ? (message as { readonly body?: string } | null)?.body : undefined);
  return [
    output.style('dim', formatTime(event.occurredAt)),
    toPrintable(event.eventName).padEnd(30),
    toPrintable(threadId ?? event.eventId),
    ...(body === undefined ? [] : [toPrintable(body)]),
  ].join('  ');
}
