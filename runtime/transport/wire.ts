/**
 * The text that crosses between nodes. A command is its envelope, with the remaining time (`leftMs`) instead of the deadline, because
 * clocks are not compared: not those of two nodes, and not one clock before and after it was set. An answer is one of
 *
 *   {"reply": ...}
 *   {"error": {"code", "message", "http", "details"?, "retryAfterSeconds"?}}
 *   {"noOwner": true}
 *   =<reply>             a reply that is a text of one line, as it stands: only in a line
 *
 * Several asks of one node go to another as lines of one message, and so do their answers:
 *
 *   <shard> <token> <command>
 *   <token> <answer>
 *
 * Tells go as lines, too, with tokens of their own sort, and are answered only where the node does not own the shard.
 */
import { errors, ServiceError, type ErrorCode } from '../../protocol/errors.ts';
import { internalError, NoOwner } from '../actor/index.ts';
import type { Envelope } from './transport.ts';

interface WireError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly http: number;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds?: number;
}

interface WireAnswer {
  readonly reply?: unknown;
  readonly error?: WireError;
  readonly noOwner?: true;
}

type WireEnvelope = Omit<Envelope, 'deadline'> & { readonly leftMs: number };

/** Only what JSON can hold arrives. `now`: by this node's monotonic clock. */
export function encodeEnvelope({ deadline, ...rest }: Envelope, now: number): string {
  const wire: WireEnvelope = { ...rest, leftMs: Math.round(deadline - now) };
  return JSON.stringify(wire);
}

/** Trusts its input: only nodes of the cluster can write to its subjects. `now`: by this node's monotonic clock. */
export function decodeEnvelope(text: string, now: number): Envelope {
  const { leftMs, ...rest } = JSON.parse(text) as WireEnvelope;
  return { ...rest, deadline: now + leftMs };
}

/** The answer of a handler that succeeded; `undefined` arrives as undefined. */
export function encodeReply(reply: unknown): string {
  return JSON.stringify({ reply });
}

/** As `encodeReply`, for a line. Most replies are the JSON of a resource: quoting it and reading it again would cost more than sending it. */
export function encodeReplyLine(reply: unknown): string {
  const isPlain = typeof reply === 'string' && !reply.includes('\n') && reply.isWellFormed();
  return isPlain ? `=${reply}` : encodeReply(reply);
}

/** Anything but a `ServiceError` and `NoOwner` crosses as an internal error, without its message. */
export function encodeFailure(failure: unknown): string {
  if (failure instanceof NoOwner) return JSON.stringify({ noOwner: true });
  const { code, message, http, details, retryAfterSeconds } =
    failure instanceof ServiceError ? failure : internalError();
  return JSON.stringify({ error: { code, message, http, details, retryAfterSeconds } });
}

export const noOwnerText = encodeFailure(new NoOwner());

/** Returns the reply; throws the `ServiceError` or `NoOwner`. */
export function decodeAnswer(text: string): unknown {
  if (text.startsWith('=')) return text.slice(1);
  const { reply, error, noOwner } = JSON.parse(text) as WireAnswer;
  if (noOwner === true) throw new NoOwner();
  if (error === undefined) return reply;
  // A newer node may know more codes than this one.
  if (!(error.code in errors)) throw internalError();
  const { code, ...options } = error;
  throw new ServiceError(code, options);
}

export interface AskLine {
  readonly shard: number;
  readonly token: string;
  readonly envelope: string;
}

export function encodeAskLine({ shard, token, envelope }: AskLine): string {
  return `${shard} ${token} ${envelope}`;
}

export function decodeAskLine(line: string): AskLine {
  const first = line.indexOf(' ');
  const second = line.indexOf(' ', first + 1);
  return {
    shard: Number(line.slice(0, first)),
    token: line.slice(first + 1, second),
    envelope: line.slice(second + 1),
  };
}

export interface AnswerLine {
  readonly token: string;
  readonly answer: string;
}

export function encodeAnswerLine({ token, answer }: AnswerLine): string {
  return `${token} ${answer}`;
}

export function decodeAnswerLine(line: string): AnswerLine {
  const space = line.indexOf(' ');
  return { token: line.slice(0, space), answer: line.slice(space + 1) };
}
