/**
 * The headers that a customer may have a tool sent: what cannot split a request, change its framing or its addressee, or pass for
 * one of ours (RFC 9110, sections 5.1, 5.5 and 7.6.1).
 */
import type { Issue } from './errors.ts';
import { pointerStep } from './text.ts';

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
/** Visible ASCII, with spaces and tabs in between. */
const value = /^[!-~](?:[\t -~]*[!-~])?$/;

/** Of one connection, of the framing, or set by us. */
const reserved: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te'],
  ...['trailer', 'transfer-encoding', 'upgrade', 'http2-settings', 'host', 'expect', 'content-length'],
  ...['content-type', 'content-encoding', 'accept-encoding', 'idempotency-key', 'x-request-id'],
]);
/** Names of ours, and of Standard Webhooks. */
const ours = ['service-', 'webhook-'];

/** What is wrong with a set of headers; `root` begins every path. Values are not repeated: they are secrets. */
export function headerIssues(headers: Readonly<Record<string, string>>, root: string): Issue[] {
  const issues: Issue[] = [];
  const seen = new Set<string>();
  for (const [name, text] of Object.entries(headers)) {
    const add = (message: string, code: string): void =>
      void issues.push({ path: `${root}/${pointerStep(name)}`, message, code });
    const lower = name.toLowerCase();
    if (!token.test(name)) add('is no name of a header', 'header');
    else if (reserved.has(lower) || ours.some(prefix => lower.startsWith(prefix)))
      add('is reserved', 'reserved');
    else if (seen.has(lower)) add('is named twice', 'unique');
    else if (!value.test(text))
      add('must be visible ASCII characters, with spaces in between at most', 'header');
    seen.add(lower);
  }
  return issues;
}
