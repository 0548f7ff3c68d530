/** What models and tools say, made into what the database can hold. */
import { isStorableText, maxDepth, unstorable } from '../../protocol/text.ts';

/** The text with a replacement character for everything that PostgreSQL cannot hold. */
export function storableText(text: string): string {
  return isStorableText(text) ? text : text.toWellFormed().replaceAll('\0', '\ufffd');
}

/** A JSON value of which everything can be held; what lies deeper than {@link maxDepth} becomes null. */
export function storable<T>(value: T): T {
  return unstorable(value) === undefined ? value : (copy(value, 0) as T);
}

function copy(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return storableText(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null) return value;
  if (depth === maxDepth) return null;
  if (Array.isArray(value)) return value.map(item => copy(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [storableText(key), copy(member, depth + 1)]),
  );
}
