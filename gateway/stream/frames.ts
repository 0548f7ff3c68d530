/**
 * The frames of the Console stream (docs/contract-decisions.md, "Console stream"), JSON text in both directions. The server's frames
 * are concatenated around texts that already are JSON. The client has four ({@link ClientFrame}); anything else closes the socket.
 */
import { isId } from '../../protocol/ids.ts';

/** Why a socket is closed. 4000 to 4999 are ours; all but 1003, 1007, 1009 and 4003 invite the client to come back and resume. */
export const closeCodes = {
  /** The node is going away: connect to another at once. */
  goingAway: 1001,
  /** A binary frame: sent by the server beneath (gateway/http). */
  binary: 1003,
  /** A text frame that is not a {@link ClientFrame}, a second resume, or one for an environment that is not the project's. */
  invalidFrame: 1007,
  /** A frame over {@link maxClientFrame}: sent by the server beneath, too. */
  tooLong: 1009,
  /** No resume frame in time, or too many frames. */
  policy: 1008,
  /** The node cannot take the socket now: it drains, or the connection limit was reached while the socket was being opened. */
  tryLater: 1013,
  /** The credential has expired or was revoked. */
  notAuthenticated: 4001,
  /** Not, or no longer, a member of the project. */
  noMembership: 4003,
  /** The user's roles have changed, and what they may see with them: connect anew. */
  rolesChanged: 4004,
  /** The client left more than 1 MiB unread. */
  tooSlow: 4008,
  /** Two heartbeats went unanswered. */
  unresponsive: 4009,
} as const;

/** Why a client has to refetch instead of resuming. */
export type ResetReason =
  /** The numbers have started over, or the client gave a `seq` without an epoch. */
  | 'epoch'
  /** The cursor is older than what is kept for streams. */
  | 'expired'
  /** The cursor is ahead of the log. */
  | 'ahead';

/** @param body the text of an envelope */
export function eventFrame(seq: number, body: string): string {
  return `{"type":"event","seq":${seq},"event":${body}}`;
}

/** An event that is not in the log, such as typing: it has no number and is not repeated on resume. */
export function ephemeralFrame(body: string): string {
  return `{"type":"event","event":${body}}`;
}

/**
 * @param seq where the stream continues: the next numbered event is a later one
 * @param head the newest number: what the client has missed ends there
 */
export function resumedFrame(epoch: string, seq: number, head: number): string {
  return `{"type":"resumed","epoch":${JSON.stringify(epoch)},"seq":${seq},"head":${head}}`;
}

/** @param seq the newest number: what the client refetches contains everything up to it */
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

/**
 * What a client may send. `resume` is its first frame, once; `epoch` and `seq` together name a cursor, and `environmentId` the only environment
 * that it wants to see. `view` says which thread its user looks at.
 */
export type ClientFrame =
  | {
      readonly type: 'resume';
      readonly epoch?: string;
      readonly seq?: number;
      readonly environmentId?: string;
    }
  | { readonly type: 'view'; readonly threadId: string | null }
  | { readonly type: 'ping' }
  | { readonly type: 'pong' };

/** The longest frame that a client may send, in bytes. */
export const maxClientFrame = 1024;

/** Undefined for anything that is not a frame. Unknown fields are ignored, so that newer clients may send more. */
export function parseClientFrame(text: string): ClientFrame | undefined {
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof frame !== 'object' || frame === null || !('type' in frame)) return undefined;
  if (frame.type === 'ping' || frame.type === 'pong') return { type: frame.type };
  if (frame.type === 'view') return parseView(frame);
  if (frame.type !== 'resume') return undefined;
  // A client without a cursor may send null for both.
  const epoch = 'epoch' in frame ? (frame.epoch ?? undefined) : undefined;
  const seq = 'seq' in frame ? (frame.seq ?? undefined) : undefined;
  if (epoch !== undefined && (typeof epoch !== 'string' || epoch.length > 128)) return undefined;
  if (seq !== undefined && !(typeof seq === 'number' && Number.isSafeInteger(seq) && seq >= 0))
    return undefined;
  const environmentId = 'environmentId' in frame ? (frame.environmentId ?? undefined) : undefined;
  if (environmentId !== undefined && typeof environmentId !== 'string') return undefined;
  return {
    type: 'resume',
    ...(epoch === undefined ? {} : { epoch }),
    ...(seq === undefined ? {} : { seq }),
    ...(environmentId === undefined ? {} : { environmentId }),
  };
}

function parseView(frame: object): ClientFrame | undefined {
  const threadId = 'threadId' in frame ? frame.threadId : undefined;
  if (threadId === null) return { type: 'view', threadId };
  return typeof threadId === 'string' && isId('thread', threadId) ? { type: 'view', threadId } : undefined;
}
