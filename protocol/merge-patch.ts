/** JSON Merge Patch (RFC 7396) of the free-form objects of resources. */
import { invalid, type ServiceError } from './errors.ts';

/** Bytes of a free-form field (`metadata`, `customFields`, `attributes`) as JSON, in a request and after a merge. */
export const maxFreeFormBytes = 16_384;

type JsonObject = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object after the patch: names that are absent stay, null removes one, objects are merged, all else is replaced. */
export function mergePatch(target: JsonObject, patch: JsonObject): Record<string, unknown> {
  const merged = new Map(Object.entries(target));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, isObject(value) ? mergePatch(toObject(merged.get(name)), value) : value);
  }
  // Not by assignment, to which `__proto__` is not a name like any other.
  return Object.fromEntries(merged);
}

function toObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** 422. @param path of the object in the request */
export function mergedTooLarge(path: string): ServiceError {
  const message = `must have at most ${maxFreeFormBytes} bytes as JSON, with what was there before`;
  return invalid([{ path, message, code: 'size' }]);
}

/** Whether a merged object is too large. One that was so before may become smaller. */
export function isTooLarge(merged: JsonObject, before: JsonObject): boolean {
  const size = (value: JsonObject): number => Buffer.byteLength(JSON.stringify(value));
  return size(merged) > maxFreeFormBytes && size(merged) > size(before);
}
