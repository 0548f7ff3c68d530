/** Path patterns: `/v1/threads/{threadId}/messages`, `/studio/*`. */

export interface Pattern {
  /** As uWebSockets.js wants it. */
  readonly uws: string;
  readonly paramCount: number;
  matches(path: string): boolean;
}

const literal = /^[A-Za-z0-9._~-]+$/;
const parameter = /^\{[A-Za-z]+\}$/;

/** Throws on a pattern that the router would take for something else. */
export function patternOf(path: string): Pattern {
  if (!path.startsWith('/')) throw new Error(`the route ${path} does not start with a slash`);
  const segments = path.slice(1).split('/');
  let paramCount = 0;
  const forServer: string[] = [];
  const forMatch: string[] = [];
  segments.forEach((segment, index) => {
    if (parameter.test(segment)) {
      // Named by position: the router would keep two names at one place apart, and find only the first.
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
