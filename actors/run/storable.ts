/** Makes what models and tools say into something that PostgreSQL can hold. */
import { isStorableText, maxDepth, findUnstorable } from '../../protocol/validate.ts';

/** Puts a replacement character in place of everything that PostgreSQL cannot hold. */
export function toStorableText(text: string): string {
  return isStorableText(text) ? text : text.toWellFormed().replaceAll('\0', '\ufffd');
}

/** The JSON value with all its texts storable. What is nested deeper than {@link maxDepth} becomes null. */
export function toStorable<T>(value: T): T {
  return findUnstorable(value) === undefined ? value : (copy(value, 0) as T);
}

function copy(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return toStorableText(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null) return value;
  if (depth === maxDepth) return null;
  if (Array.isArray(value)) return value.map(item => copy(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [toStorableText(key), copy(member, depth + 1)]),
  );
}
