/**
 * Lists of values as PostgreSQL reads them: in the binary format of its arrays (`array_recv` and the receive functions of the element
 * types, in the server's source), and as the literal of a `text[]` (manual, 8.15.6).
 *
 * Binary, because the server takes a time in a third of a microsecond less than from a literal, and a JSON text of 400 bytes
 * in 0.9 less, having no quotes to look for; and because nothing has to be escaped.
 */

/** JSON and jsonb are given as their text, times as ISO 8601 and to the millisecond, bigints as numbers: safe up to 2^53. */
export type ElementType = 'text' | 'json' | 'jsonb' | 'bigint' | 'int' | 'timestamptz';

export type Element = string | number | null | undefined;

/** The element types' ids in `pg_type`. */
const oids: Readonly<Record<ElementType, number>> = {
  text: 25,
  json: 114,
  jsonb: 3802,
  bigint: 20,
  int: 23,
  timestamptz: 1184,
};

/**
 * An array of one dimension; one without any value has no elements at all.
 *
 * @throws RangeError for a number or a time that the type cannot hold
 */
export function binaryArray(type: ElementType, elements: readonly Element[]): Buffer {
  if (elements.every(isMissing)) return withHead(type, 0, false, 0);
  switch (type) {
    case 'text':
    case 'json':
      return arrayOfTexts(type, elements, '');
    case 'jsonb':
      return arrayOfTexts(type, elements, jsonbVersion);
    case 'int':
      return arrayOfNumbers(type, elements, 4, writeInt);
    case 'bigint':
      return arrayOfNumbers(type, elements, 8, writeBigint);
    case 'timestamptz':
      return arrayOfNumbers(type, elements, 8, writeInstant);
  }
}

function isMissing(element: Element): element is null | undefined {
  return element === null || element === undefined;
}

/** Number of dimensions, whether there are nulls, the elements' type; of the one dimension its length and its first index. */
const headBytes = 20;

/** An array that lacks its elements, which have so many bytes. */
function withHead(type: ElementType, length: number, hasNulls: boolean, bytes: number): Buffer {
  const array = Buffer.allocUnsafe(length === 0 ? headBytes - 8 : headBytes + bytes);
  array.writeInt32BE(length === 0 ? 0 : 1, 0);
  array.writeInt32BE(hasNulls ? 1 : 0, 4);
  array.writeInt32BE(oids[type], 8);
  if (length === 0) return array;
  array.writeInt32BE(length, 12);
  array.writeInt32BE(1, 16);
  return array;
}

/** What every jsonb begins with. */
const jsonbVersion = '\x01';
/** In place of the length of a null, as four bytes. */
const nullLength = '\xff\xff\xff\xff';

/** 32 bits as a string with a character for each byte. */
function lengthBytes(length: number): string {
  return String.fromCharCode(length >>> 24, (length >>> 16) & 255, (length >>> 8) & 255, length & 255);
}

/** Those of the usual lengths, made once. */
const usualLengths = Array.from({ length: 4_096 }, (_, length) => lengthBytes(length));

/** UTF-8 as a string with a character for each byte. */
function utf8(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/**
 * Everything goes into one string of bytes, which is written at once: to write the short ones one by one takes half as long again.
 * A text that is all ASCII, as in most columns all are, is such a string as it stands.
 *
 * @param start what every element begins with
 * @param areBytes whether the elements are strings of bytes already
 */
function arrayOfTexts(
  type: ElementType,
  elements: readonly Element[],
  start: string,
  areBytes = false,
): Buffer {
  let bytes = '';
  let hasNulls = false;
  // Bytes of lengths that are no ASCII: as UTF-8, each would be two.
  let highBytes = 0;
  for (const element of elements) {
    if (isMissing(element)) {
      bytes += nullLength;
      highBytes += 4;
      hasNulls = true;
      continue;
    }
    const text = start + element;
    const { length } = text;
    bytes += (usualLengths[length] ?? lengthBytes(length)) + text;
    highBytes += ((length >>> 7) & 1) + ((length >>> 15) & 1) + ((length >>> 23) & 1);
  }
  if (!areBytes && Buffer.byteLength(bytes) !== bytes.length + highBytes) {
    const encoded = elements.map(element => (typeof element === 'string' ? utf8(element) : element));
    return arrayOfTexts(type, encoded, start, true);
  }
  const array = withHead(type, elements.length, hasNulls, bytes.length);
  array.write(bytes, headBytes, 'latin1');
  return array;
}

type WriteNumber = (array: Buffer, value: string | number, offset: number) => void;

/** @param width bytes of a value */
function arrayOfNumbers(
  type: ElementType,
  elements: readonly Element[],
  width: number,
  write: WriteNumber,
): Buffer {
  const missing = elements.reduce<number>((count, element) => count + (isMissing(element) ? 1 : 0), 0);
  const bytes = elements.length * 4 + (elements.length - missing) * width;
  const array = withHead(type, elements.length, missing > 0, bytes);
  let offset = headBytes;
  for (const element of elements) {
    array.writeInt32BE(isMissing(element) ? -1 : width, offset);
    offset += 4;
    if (isMissing(element)) continue;
    write(array, element, offset);
    offset += width;
  }
  return array;
}

function whole(value: string | number): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw new RangeError(`${JSON.stringify(value)} is no whole number`);
}

function writeInt(array: Buffer, value: string | number, offset: number): void {
  array.writeInt32BE(whole(value), offset);
}

function writeBigint(array: Buffer, value: string | number, offset: number): void {
  const number = whole(value);
  const high = Math.floor(number / 2 ** 32);
  array.writeInt32BE(high, offset);
  array.writeUInt32BE(number - high * 2 ** 32, offset + 4);
}

/** Times are counted in microseconds from here. */
const epochMs = Date.UTC(2000, 0, 1);

// The rows of a batch were decided at few instants.
let lastInstant: string | number | undefined;
const lastBytes = Buffer.alloc(8);

function writeInstant(array: Buffer, value: string | number, offset: number): void {
  if (value !== lastInstant) {
    lastBytes.writeBigInt64BE(BigInt(new Date(value).getTime() - epochMs) * 1_000n);
    lastInstant = value;
  }
  lastBytes.copy(array, offset);
}

/** A literal of type text[], whatever the texts are. */
export function textArray(texts: readonly string[]): string {
  return `{${texts.map(text => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}
