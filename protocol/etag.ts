/** Entity tags (RFC 9110 section 8.8.3) of resources that two people may edit, and the precondition that they are for. */
import { createHash } from 'node:crypto';

/** Of the order of names an object in PostgreSQL knows nothing. */
const sortNames = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;

/** The strong tag of a resource as answers show it: another one after any change that a reader can see. */
export function createEtag(resource: object): string {
  return hashEtag(JSON.stringify(resource, sortNames));
}

/** The strong tag of bytes that are served as they are. */
export function hashEtag(bytes: string | Uint8Array): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;
}

const tags = /(W\/)?("[\x21\x23-\x7e]*")/g;

/** Whether If-Match (RFC 9110 section 13.1.1) lets a change of the resource through. Weak tags never match. Empty: there is no condition. */
export function passesIfMatch(ifMatch: string, resource: object): boolean {
  const condition = ifMatch.trim();
  if (condition === '' || condition === '*') return true;
  const etag = createEtag(resource);
  return [...condition.matchAll(tags)].some(([, weak, tag]) => weak === undefined && tag === etag);
}

/** Whether If-None-Match (RFC 9110 section 13.1.2) names the tag: the client has it. Here weak tags match, too. */
export function matchesIfNoneMatch(ifNoneMatch: string, etag: string): boolean {
  const condition = ifNoneMatch.trim();
  return condition === '*' || [...condition.matchAll(tags)].some(([, , tag]) => tag === etag);
}
