/**
 * The frames of the Console stream (decisions section 8), JSON text in both directions. The server's are built by
 * concatenation around texts that are JSON already; the client's are three ({@link ClientFrame}), and anything else is a
 * reason to close.
 */

/** Why a socket is closed. 4000 to 4999 are ours; all but 1003, 1007 and 4003 invite the client to come back and resume. */
export const closeCodes = {
  /** The node is going away: connect to another at once. */
  goingAway: 1001,
  /** A binary frame: sent by the server beneath (gateway/http). */
  binary: 1003,
  /** A text frame that is none of {@link ClientFrame}, or a second resume. */
  rubbish: 1007,
  /** No resume frame in time, or frames faster than any client has use for. */
  policy: 1008,
  /** The node cannot take the socket now, as when the connection limit was reached while it was being opened. */
  tryLater: 1013,
  /** The credential has expired or was revoked. */
  notAuthenticated: 4001,
  /** No membership of the project (any more). */
  noMembership: 4003,
  /** More than 1 MiB was waiting to be read. */
  tooSlow: 4008,
  /** Two heartbeats went unanswered. */
  silent: 4009,
} as const;

/** Why a client has to refetch instead of resuming. */
export type ResetReason =
  /** The numbers started over, or the client gave none for its `seq`. */
  | 'epoch'
  /** The cursor is older than what is kept for streams. */
  | 'expired'
  /** The cursor is ahead of the log. */
  | 'ahead';

/** @param body an envelope's text, nested as it stands. */
export function eventFrame(seq: number, body: string): string {
  return `{"type":"event","seq":${seq},"event":${body}}`;
}

/** An event that is not in the log (typing, output as it is written): it has no number and is not repeated on resume. */
export function ephemeralFrame(body: string): string {
  return `{"type":"event","event":${body}}`;
}

/** @param seq where the stream goes on from: the next numbered event is a later one. */
export function resumedFrame(epoch: string, seq: number): string {
  return `{"type":"resumed","epoch":${JSON.stringify(epoch)},"seq":${seq}}`;
}

/** @param seq the newest number there is: what the client refetches holds everything up to it. */
export function resetFrame(epoch: string, seq: number, reason: ResetReason): string {
  return `{"type":"reset","epoch":${JSON.stringify(epoch)},"seq":${seq},"reason":"${reason}"}`;
}

/**
 * The server's heartbeat; the client answers with `pong`. `seq` says that everything up to it that the client may see has
 * been sent: a key of a quiet environment keeps a fresh cursor by it.
 */
export function pingFrame(seq: number): string {
  return `{"type":"ping","seq":${seq}}`;
}

/** The heartbeat of a socket that is not live yet. */
export const barePing = '{"type":"ping"}';
export const pong = '{"type":"pong"}';

/** What a client may send. `resume` is its first frame, once; both its fields or none name a cursor. */
export type ClientFrame =
  | { readonly type: 'resume'; readonly epoch?: string; readonly seq?: number }
  | { readonly type: 'ping' }
  | { readonly type: 'pong' };

/** Longest frame a client has use for, in bytes. */
export const maxClientFrame = 1024;

/** The frame, or undefined for anything that is none. Unknown fields are let pass, so that newer clients may send more. */
export function parseClientFrame(text: string): ClientFrame | undefined {
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof frame !== 'object' || frame === null || !('type' in frame)) return undefined;
  if (frame.type === 'ping' || frame.type === 'pong') return { type: frame.type };
  if (frame.type !== 'resume') return undefined;
  // A client that has no cursor yet may well send the nulls of its store.
  const epoch = 'epoch' in frame ? (frame.epoch ?? undefined) : undefined;
  const seq = 'seq' in frame ? (frame.seq ?? undefined) : undefined;
  if (epoch !== undefined && (typeof epoch !== 'string' || epoch.length > 128)) return undefined;
  if (seq !== undefined && !(typeof seq === 'number' && Number.isSafeInteger(seq) && seq >= 0))
    return undefined;
  return { type: 'resume', ...(epoch === undefined ? {} : { epoch }), ...(seq === undefined ? {} : { seq }) };
}
