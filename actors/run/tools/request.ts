/** The request of a tool call, made of what the model passes. */
import type { OutboundRequest } from '../../../runtime/pool/messages.ts';
import type { CallableTool } from '../../../storage/reads/tools.ts';

/** Bytes of an answer that a model is given at most. */
export const largestAnswer = 262_144;
/** Characters of an address with its query: what servers take. */
const longestAddress = 8_000;

/** The secrets of a tool, open. */
export interface OpenSecrets {
  readonly headers: Readonly<Record<string, string>>;
  readonly signing: string;
}

/** Query for GET and DELETE, else a JSON body. `unfit`: why there is no such request. */
export function requestOf(
  tool: CallableTool,
  secrets: OpenSecrets,
  callId: string,
  input: unknown,
): OutboundRequest | { readonly unfit: string } {
  const url = tool.url === null ? null : URL.parse(tool.url);
  if (url === null) return { unfit: 'the tool has no address' };
  const inQuery = tool.method === 'GET' || tool.method === 'DELETE';
  if (inQuery) {
    const taken = addQuery(url, input);
    if (taken !== undefined) return { unfit: `the argument ${taken} is none: the tool sets it itself` };
  }
  if (url.href.length > longestAddress) return { unfit: 'the arguments are too long for an address' };
  return {
    method: tool.method,
    url: url.href,
    headers: {
      accept: 'application/json',
      'user-agent': 'Skein-Tool/1',
      // Names in lower case, so that a header of the tool's takes the place of one of those above, and never of one below.
      ...Object.fromEntries(
        Object.entries(secrets.headers).map(([name, value]) => [name.toLowerCase(), value]),
      ),
      ...(inQuery ? {} : { 'content-type': 'application/json' }),
      'idempotency-key': callId,
    },
    ...(inQuery ? {} : { body: JSON.stringify(input) }),
    sign: { secrets: [secrets.signing], id: callId },
    timeoutMs: tool.timeoutMs,
    keepBytes: largestAnswer,
    httpsOnly: tool.environmentKind === 'production',
  };
}

/**
 * A list is a parameter several times; an object is its JSON. Returns the name of an argument that the address has as a parameter
 * already, in whatever case or as a list: of two, some servers take the last. The owner's stands.
 */
function addQuery(url: URL, input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  const own = [...url.searchParams.keys()].map(plainName);
  for (const [name, value] of Object.entries(input)) {
    if (own.some(each => collide(each, plainName(name)))) return name;
    for (const item of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (item === null || item === undefined) continue;
      url.searchParams.append(name, typeof item === 'string' ? item : JSON.stringify(item));
    }
  }
  return undefined;
}

/** `A`, `a[]` and `a[0]` are the same to one server or another. */
function plainName(name: string): string {
  return name
    .toLowerCase()
    .replace(/\[\d*\]\s*$/, '')
    .trim();
}

/** Also where one is a part of the other: `a[b]` of `a`, but not of `a[c]`. */
function collide(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}[`) || b.startsWith(`${a}[`);
}
