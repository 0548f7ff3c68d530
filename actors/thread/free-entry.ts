/**
 * The free entry: a time in which the provider charges nothing, because an advertisement or a post has brought the participant. It concerns
 * prices only, and never permits a free-form message.
 *
 *   (none), closed -> pending   a message with a referral
 *   pending -> pending          another one: the deadline moves, nothing is announced
 *   pending -> open             a message of ours is delivered within 24 hours: for 72 hours, or until the provider's own end
 *   pending -> closed           nothing was, or the provider charges for a message of ours: it does not count the participant
 *   open    -> closed           at the end, which is the first instant outside
 *   closed  -> open             it lapsed, and a receipt that was late proves that a message was delivered in time
 *
 * One reminder watches it, as with the service window.
 */
import type { Turn } from '../../runtime/actor/index.ts';
import type { Actor } from '../../protocol/resources/index.ts';
import { systemActor } from '../base/index.ts';
import type { Receipt } from '../channel/index.ts';
import { ThreadDecisionBuilder, type ThreadDecision } from './decision-builder.ts';
import { toFreeEntry } from './json.ts';
import type { FreeEntry, ThreadState } from './state.ts';

/** The key of the reminder that watches the free entry. */
const freeEntryReminder = 'free-entry';

const hourMs = 3_600_000;
/** From the referral until a message has to be delivered. */
const pendingMs = 24 * hourMs;
/** From that delivery, unless the provider names the end. */
const openMs = 72 * hourMs;

/** What the provider calls the conversations of a free entry. */
const freeEntryOrigin = 'referral_conversion';

/** What it calls the price of a message that is not free. */
const chargedPrice = 'regular';

type FreeEntryEvent = 'thread.free_entry.pending' | 'thread.free_entry.opened' | 'thread.free_entry.closed';

/** The first instant after the state that it is in; undefined: it stays. */
function getEnd({ status, pendingUntil, expiresAt }: FreeEntry): number | undefined {
  if (status === 'closed') return undefined;
  return status === 'pending' ? pendingUntil : (expiresAt ?? undefined);
}

/** Moves the free entry, and watches it where it has an end. */
function moveTo(
  builder: ThreadDecisionBuilder,
  freeEntry: FreeEntry,
  announced?: { readonly eventName: FreeEntryEvent; readonly actor: Actor },
): void {
  builder.next.freeEntry = freeEntry;
  const at = getEnd(freeEntry);
  if (at !== undefined) {
    builder.remind({ key: freeEntryReminder, at, command: 'lookAtFreeEntry', payload: {} });
  }
  if (announced === undefined) return;
  const { eventName, actor } = announced;
  builder.addThreadEvent(eventName, actor, `,"freeEntry":${JSON.stringify(toFreeEntry(builder.next))}`);
}

/** Closes what has ended before its reminder came, so that events are in the order in which things happened. */
function closeEnded(builder: ThreadDecisionBuilder): void {
  const { freeEntry } = builder.next;
  const end = freeEntry === null ? undefined : getEnd(freeEntry);
  if (freeEntry === null || end === undefined || builder.now < end) return;
  const closed: FreeEntry = { ...freeEntry, status: 'closed' };
  moveTo(builder, closed, { eventName: 'thread.free_entry.closed', actor: systemActor });
}

/**
 * An advertisement or a post has brought the participant. Nothing comes of it while a free entry is open.
 *
 * @param at when they wrote, in epoch milliseconds
 */
export function noteReferral(builder: ThreadDecisionBuilder, actor: Actor, at: number): void {
  closeEnded(builder);
  const { next, now } = builder;
  const { freeEntry } = next;
  const referredAt = Math.min(at, now);
  const pendingUntil = referredAt + pendingMs;
  if (pendingUntil <= now || freeEntry?.status === 'open') return;
  const pending: FreeEntry = { status: 'pending', referredAt, pendingUntil, openedAt: null, expiresAt: null };
  if (freeEntry?.status !== 'pending') {
    moveTo(builder, pending, { eventName: 'thread.free_entry.pending', actor });
  } else if (referredAt > freeEntry.referredAt) {
    moveTo(builder, { ...freeEntry, referredAt, pendingUntil });
  }
}

/**
 * The provider reports on a message of ours: its delivery opens the free entry, its conversation may name the end, and its price may say
 * that there is none.
 *
 * @param sentAt when the message was created, ISO 8601
 */
export function noteReceipt(builder: ThreadDecisionBuilder, receipt: Receipt, sentAt: string): void {
  const { freeEntry } = builder.next;
  if (freeEntry === null) return;
  const at = Date.parse(receipt.occurredAt);
  const end = readEnd(receipt);
  const { status, referredAt, pendingUntil, openedAt } = freeEntry;
  const isOver = status === 'closed' && openedAt !== null;
  if (isOver) return;
  const expiresAt = end ?? freeEntry.expiresAt;
  const isDelivered = receipt.status === 'delivered' || receipt.status === 'read';
  const isAnswer = Date.parse(sentAt) >= referredAt;
  const isInTime = isAnswer && at >= referredAt && at < pendingUntil;
  if (status === 'pending' && isAnswer && receipt.billing?.pricing?.type === chargedPrice) {
    // A delivery that is reported later opens nothing either.
    const charged: FreeEntry = { ...freeEntry, status: 'closed', pendingUntil: referredAt };
    moveTo(builder, charged, { eventName: 'thread.free_entry.closed', actor: systemActor });
  } else if (status !== 'open' && isDelivered && isInTime) {
    const opened: FreeEntry = {
      ...freeEntry,
      status: 'open',
      openedAt: at,
      expiresAt: expiresAt ?? at + openMs,
    };
    moveTo(builder, opened, { eventName: 'thread.free_entry.opened', actor: systemActor });
  } else if (expiresAt !== freeEntry.expiresAt) {
    moveTo(builder, { ...freeEntry, expiresAt });
  }
}

/** When the provider ends the free entry, in epoch milliseconds; null: it does not say. */
function readEnd({ billing }: Receipt): number | null {
  const { origin, expiresAt } = billing?.conversation ?? {};
  return origin === freeEntryOrigin && expiresAt ? Date.parse(expiresAt) : null;
}

/** The reminder: closes what has ended, and sets itself again when the end has moved. */
export function lookAtFreeEntry(
  state: ThreadState,
  _command: Readonly<Record<string, never>>,
  turn: Turn,
): ThreadDecision<null> {
  const { freeEntry } = state;
  if (freeEntry === null || freeEntry.status === 'closed') return { reply: null };
  const builder = new ThreadDecisionBuilder(state, turn);
  closeEnded(builder);
  if (builder.next.freeEntry !== freeEntry) return builder.decide(null);
  moveTo(builder, freeEntry);
  return { remind: builder.reminders, reply: null };
}
