/** The query and the path of a request, decoded. */
import { invalid } from '../../protocol/errors.ts';

/** Most parameters that a query may have. */
const maxParameters = 100;

/** The parameters of a query in order (the URL standard's form encoding). Throws 422 where the escapes are broken. */
export function parseQuery(query: string): [name: string, value: string][] {
  const parameters: [string, string][] = [];
  for (const part of query.split('&', maxParameters + 1)) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = decode(equals < 0 ? part : part.slice(0, equals), '/query');
    parameters.push([name, equals < 0 ? '' : decode(part.slice(equals + 1), '/query')]);
  }
  if (parameters.length > maxParameters) {
    throw invalid([
      { path: '/query', message: `has more than ${maxParameters} parameters`, code: 'maxItems' },
    ]);
  }
  return parameters;
}

/** A path parameter as text. Throws 422 where the escapes are broken. */
export function decodeSegment(segment: string, name: string): string {
  return segment.includes('%') ? decodeOr(segment, `/path/${name}`) : segment;
}

function decode(text: string, path: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  return spaced.includes('%') ? decodeOr(spaced, path) : spaced;
}

function decodeOr(text: string, path: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid([{ path, message: 'has broken percent-encoding', code: 'encoding' }]);
  }
}
