/**
 * The sorts of column that all tables share. Ids and other machine text are compared by byte (collation "C"): that is
 * the order the ids were made for, and it does not change with the operating system's locale tables.
 */
import { ArrayType, p, Type } from '@mikro-orm/core';
import { toTextArrayLiteral } from '../statements/index.ts';

/** An id, hash name, cursor part or other text that is compared and sorted by byte. */
export const id = () => p.text().collation('C');

/** An instant, to the millisecond: what JavaScript can hold, so that a value read and written back is the same. */
export const instant = () => p.datetime(3);

/** A JSON object of the caller's choice. */
export const metadata = () => p.json<Record<string, unknown>>().default('{}');

/** The ORM's own literal loses spaces at the ends, line breaks, and the text `null`. */
class TextList extends ArrayType<string> {
  override convertToDatabaseValue(value: string[] | null): string | null {
    return value === null ? null : toTextArrayLiteral(value);
  }

  override getColumnType(): string {
    return 'text[]';
  }
}

/** A list of texts. */
export const words = () => p.type(TextList).$type<string[]>().default([]);

/** A whole number beyond 32 bits; safe in JavaScript up to 2^53. */
export const big = () => p.bigint('number');

/** Column type `json`, kept and read as its exact text: the bytes that were signed are the bytes that are sent. */
export class JsonText extends Type<string, string> {
  override getColumnType(): string {
    return 'json';
  }

  override compareAsType(): string {
    return 'string';
  }
}

export const jsonText = () => p.type(JsonText);
