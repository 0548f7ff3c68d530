/** Custom fields of a thread, as they are edited: each is a text, a number, or yes or no. */
export type FieldValue = string | number | boolean;
export type FieldKind = 'text' | 'number' | 'boolean';

export interface Field {
  readonly name: string;
  readonly value: FieldValue;
}

/** By name. A field without a value is none: null removes one. */
export function listFields(customFields: Readonly<Record<string, FieldValue | null>>): readonly Field[] {
  return Object.entries(customFields)
    .flatMap(([name, value]) => (value === null ? [] : [{ name, value }]))
    .sort((one, other) => one.name.localeCompare(other.name));
}

export function getKind(value: FieldValue): FieldKind {
  return typeof value === 'string' ? 'text' : typeof value === 'number' ? 'number' : 'boolean';
}

/** What was written, as a value of the kind; undefined: it is none. */
export function parseValue(kind: FieldKind, text: string): FieldValue | undefined {
  switch (kind) {
    case 'text':
      return text === '' ? undefined : text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined;
    case 'number': {
      const value = Number(text);
      return text.trim() !== '' && Number.isFinite(value) ? value : undefined;
    }
  }
}
