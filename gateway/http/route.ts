/** Routes, as their exchanges need them, and their path patterns: `/v1/threads/{threadId}/messages`, `/studio/*`. */
import { ServiceError } from '../../protocol/errors.ts';
import type { HttpHandler, HttpRequest, HttpAnswer } from './message.ts';

/**
 * Decides by the head of a request whether its body is worth taking: returns what refuses it. Throws nothing.
 */
export type BodyAdmission = (
  request: HttpRequest,
) => HttpAnswer | undefined | Promise<HttpAnswer | undefined>;

/** What a route wants of its requests. */
export interface Route {
  readonly handler: HttpHandler;
  readonly method: string;
  /** As registered, for the log. */
  readonly pattern: string;
  /** Parameters in the pattern. */
  readonly paramCount: number;
  readonly readsBody: boolean;
  readonly maxBodyBytes: number;
  /** The handler gets the request with its head, and the body as it arrives. */
  readonly streamsBody: boolean;
  /** The handler may answer with a stream, and is asked only while there are not too many of them. */
  readonly streamsAnswer: boolean;
  /** Asked before a body is streamed, and before more of any other body is taken than costs nothing. */
  readonly admitBody: BodyAdmission | undefined;
  /** The handler gets requests whose body was not taken, too, and answers with `request.refused`. */
  readonly answersRefused: boolean;
  /** Served while the server is held, too. */
  readonly always: boolean;
  /** Answers with the head only (HEAD). */
  readonly headOnly: boolean;
}

/** 413 for a body beyond a route's limit. */
export function tooLarge(bytes: number): ServiceError {
  return new ServiceError('svc/validation/invalid_request', {
    http: 413,
    message: `The body is larger than ${bytes} bytes.`,
  });
}

export interface Pattern {
  /** As uWebSockets.js wants it. */
  readonly uws: string;
  readonly paramCount: number;
  matches(path: string): boolean;
}

const literal = /^[A-Za-z0-9._~-]+$/;
const parameter = /^\{[A-Za-z]+\}$/;

/** Throws on a pattern that the router would understand differently. */
export function parsePattern(path: string): Pattern {
  if (!path.startsWith('/')) throw new Error(`the route ${path} does not start with a slash`);
  const segments = path.slice(1).split('/');
  let paramCount = 0;
  const forServer: string[] = [];
  const forMatch: string[] = [];
  segments.forEach((segment, index) => {
    if (parameter.test(segment)) {
      // Named by position: the router would distinguish two names in one place, and find only the first.
      forServer.push(`:p${paramCount++}`);
      forMatch.push('[^/]+');
    } else if (segment === '*' && index === segments.length - 1) {
      forServer.push('*');
      forMatch.push('.*');
    } else if (literal.test(segment) || (segment === '' && index === segments.length - 1)) {
      forServer.push(segment);
      forMatch.push(segment.replaceAll('.', '\\.'));
    } else {
      throw new Error(
        `the route ${path} has a segment that is no literal, parameter or wildcard: ${segment}`,
      );
    }
  });
  const whole = new RegExp(`^/${forMatch.join('/')}$`);
  return { uws: `/${forServer.join('/')}`, paramCount, matches: path => whole.test(path) };
}
