/**
 * The form of a JSON Schema: fields for the properties of an object that are texts, numbers, truths, or one of a list. What has another form is
 * written as JSON. https://json-schema.org/draft/2020-12
 */
export interface SchemaField {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'json';
  readonly description: string | undefined;
  readonly isRequired: boolean;
  /** Of `choice`. */
  readonly choices: readonly string[];
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Undefined: it describes no object with named properties. */
export function readSchemaFields(schema: unknown): readonly SchemaField[] | undefined {
  if (!isObject(schema) || !isObject(schema['properties'])) return undefined;
  const required = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : [];
  return Object.entries(schema['properties']).map(([name, property]) => {
    const { description, enum: listed } = isObject(property) ? property : ({} as Json);
    const choices =
      Array.isArray(listed) && listed.every(each => typeof each === 'string') ? (listed as string[]) : [];
    return {
      name,
      kind: choices.length > 0 ? 'choice' : findKind(property),
      description: typeof description === 'string' ? description : undefined,
      isRequired: required.includes(name),
      choices,
    };
  });
}

const kinds = { string: 'text', number: 'number', integer: 'integer', boolean: 'boolean' } as const;

function findKind(property: unknown): SchemaField['kind'] {
  const type = isObject(property) ? property['type'] : undefined;
  return typeof type === 'string' && Object.hasOwn(kinds, type) ? kinds[type as keyof typeof kinds] : 'json';
}

/**
 * The arguments of what was typed; an empty field that is not required is left out.
 *
 * @throws {SyntaxError} what is to be JSON is none
 */
export function toArguments(
  fields: readonly SchemaField[],
  // A property may be named as what every object has.
  typed: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const given = fields.flatMap(field => {
    const text = typed.get(field.name) ?? '';
    if (text === '' && !field.isRequired) return [];
    return [[field.name, toValue(field, text)] as const];
  });
  return Object.fromEntries(given);
}

function toValue({ kind }: SchemaField, text: string): unknown {
  if (kind === 'number' || kind === 'integer') return Number(text);
  if (kind === 'boolean') return text === 'true';
  return kind === 'json' ? (JSON.parse(text) as unknown) : text;
}
