/** Bytes to JSON, with the limits that JSON itself does not have (decisions section 1: malformed is 400). */
import { isUtf8 } from 'node:buffer';
import { ServiceError, invalid } from '../../protocol/errors.ts';
import { pointerStep } from '../../protocol/text.ts';

const jsonType = /^application\/json[ \t]*(;|$)/i;
const charset = /;[ \t]*charset[ \t]*=[ \t]*"?([^";, \t]+)/i;

/** Throws 400 unless the type is JSON in UTF-8, the only encoding that JSON is exchanged in (RFC 8259 section 8.1). */
function checkType(contentType: string): void {
  if (contentType === 'application/json') return;
  const named = charset.exec(contentType)?.[1]?.toLowerCase() ?? 'utf-8';
  if (jsonType.test(contentType) && named === 'utf-8') return;
  throw malformed('The Content-Type has to be application/json, in UTF-8.');
}

function malformed(message: string): ServiceError {
  return new ServiceError('svc/validation/invalid_request', { http: 400, message });
}

/** The value of a request's body. Throws 400 on what is not JSON, 422 on a key that no object should have. */
export function parseJsonBody(body: Buffer, contentType: string): unknown {
  checkType(contentType);
  // Decoding would turn broken bytes into U+FFFD: text that the client never sent.
  if (!isUtf8(body)) throw malformed('The body is not UTF-8.');
  const text = body.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed('The body is not JSON.');
  }
  // JSON.parse makes `__proto__` an ordinary field, but whoever assigns it to another object swaps a prototype. It is
  // looked for only where its letters occur, spelled out or escaped.
  if (text.includes('__proto__') || text.includes('\\u00')) refusePrototypes(value, '/body');
  return value;
}

/** Deeper than the validator lets pass (text.ts): what lies below is refused there for its depth. */
const searchedDepth = 70;

/** 422 for a value that has, at any depth, a field by the name of `__proto__`. */
export function refusePrototypes(value: unknown, path: string, depth = 0): void {
  if (typeof value !== 'object' || value === null || depth > searchedDepth) return;
  for (const [key, member] of Object.entries(value)) {
    const at = `${path}/${pointerStep(key)}`;
    if (key === '__proto__') throw invalid([{ path: at, message: 'is not a permitted name', code: 'name' }]);
    refusePrototypes(member, at, depth + 1);
  }
}
