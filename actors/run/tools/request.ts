/** The request of a tool call, made of what the model passes. */
import type { OutboundRequest } from '../../../runtime/outbound/index.ts';
import type { CallableTool } from '../../../storage/agents/index.ts';

/** The most bytes of an answer that a model gets. */
export const largestAnswer = 262_144;
/** Characters of an address with its query: servers refuse longer ones. */
const maxUrlCharacters = 8_000;

/** The secrets of a tool, unsealed. */
export interface OpenSecrets {
  readonly headers: Readonly<Record<string, string>>;
  /** The newest first. */
  readonly signing: readonly string[];
}

/** For whom a call is made: the tool is told, and decides by it what it may do. A test is made for nobody. */
export interface CallOrigin {
  readonly agentRunId?: string;
  readonly threadId?: string | null;
  /** How the thread's participant is named in its channel. */
  readonly participantRef?: string | null;
  /** W3C Trace Context of the call; absent where its trace is not kept. */
  readonly traceparent?: string | undefined;
}

export interface ToolCall {
  readonly callId: string;
  readonly input: unknown;
  readonly origin: CallOrigin;
}

/** The arguments go into the query for GET and DELETE, otherwise into a JSON body. `problem`: why there is no such request. */
export function createToolRequest(
  tool: CallableTool,
  secrets: OpenSecrets,
  { callId, input, origin }: ToolCall,
): OutboundRequest | { readonly problem: string } {
  const url = tool.url === null ? null : URL.parse(tool.url);
  if (url === null) return { problem: 'the tool has no address' };
  const inQuery = tool.method === 'GET' || tool.method === 'DELETE';
  if (inQuery) {
    const taken = addQuery(url, input);
    if (taken !== undefined)
      return { problem: `the argument ${taken} is not allowed: the tool sets it itself` };
  }
  if (url.href.length > maxUrlCharacters) return { problem: 'the arguments are too long for an address' };
  return {
    method: tool.method,
    url: url.href,
    headers: {
      accept: 'application/json',
      'user-agent': 'Skein-Tool/1',
      // In lower case, so that a header of the tool replaces one of those above, and never one of those below.
      ...Object.fromEntries(
        Object.entries(secrets.headers).map(([name, value]) => [name.toLowerCase(), value]),
      ),
      ...(inQuery ? {} : { 'content-type': 'application/json' }),
      'idempotency-key': callId,
      ...toHeaders(origin),
    },
    ...(inQuery ? {} : { body: JSON.stringify(input) }),
    sign: { secrets: secrets.signing, id: callId, coversRequest: true },
    timeoutMs: tool.timeoutMs,
    keepBytes: largestAnswer,
    httpsOnly: tool.environmentKind === 'production',
  };
}

/** What a participant is called is a text of the customer's: percent-encoded (RFC 3986, section 2.1), it cannot leave its header. */
function toHeaders({
  agentRunId,
  threadId,
  participantRef,
  traceparent,
}: CallOrigin): Record<string, string> {
  return {
    ...(agentRunId === undefined ? {} : { 'service-run-id': agentRunId }),
    ...(typeof threadId === 'string' ? { 'service-thread-id': threadId } : {}),
    ...(typeof participantRef === 'string'
      ? { 'service-participant-ref': encodeURIComponent(participantRef) }
      : {}),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

/**
 * Adds the arguments: a list becomes a repeated parameter, an object its JSON. Returns the name of an argument that the address has as a
 * parameter already, in any case or as a list. Of two values some servers take the last, and the owner's must stand.
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

/** Some servers treat `A`, `a[]` and `a[0]` as the same parameter. */
function plainName(name: string): string {
  return name
    .toLowerCase()
    .replace(/\[\d*\]\s*$/, '')
    .trim();
}

/** Whether one is the other or a part of it: `a[b]` is a part of `a`, but not of `a[c]`. */
function collide(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}[`) || b.startsWith(`${a}[`);
}
