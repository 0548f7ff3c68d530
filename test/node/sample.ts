/** Requests made from the operation table alone: the least that each schema takes, with the ids that a test wants in it. */
import { idPattern, prefixes, type Resource } from '../../protocol/ids.ts';
import type { Operation } from '../../protocol/operation.ts';
import type { Asked } from './client.ts';

/** As much of JSON Schema as the operations' schemas use. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly examples?: readonly unknown[];
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly minItems?: number;
}

export type Part = 'params' | 'query' | 'body';
/** A field of a request. */
export interface Field {
  readonly part: Part;
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
  /** Of what it is the id, if it is one. */
  readonly resource: Resource | undefined;
}

const resources = new Map(
  (Object.keys(prefixes) as Resource[]).map(resource => [idPattern(resource), resource]),
);

/** Of what it is the id, if it is one. */
export function getResource(schema: Schema): Resource | undefined {
  return resources.get(schema.pattern ?? '');
}

function getPart(operation: Operation, part: Part): Schema {
  return (operation[part] ?? {}) as Schema;
}

/** The fields of the operation's request, required or not. */
export function fields(operation: Operation): Field[] {
  return (['params', 'query', 'body'] as const).flatMap(part =>
    Object.entries(getPart(operation, part).properties ?? {}).map(([name, schema]) => {
      const required = getPart(operation, part).required?.includes(name) ?? false;
      return { part, name, schema, required, resource: getResource(schema) };
    }),
  );
}

/** The least that the operation takes; `ids` fills in what is required of them. */
export function sample(
  operation: Operation,
  ids: (resource: Resource) => string,
): Required<Pick<Asked, Part>> {
  const fill = (part: Part): Record<string, unknown> =>
    (value(getPart(operation, part), ids) ?? {}) as Record<string, unknown>;
  return {
    params: fill('params') as Record<string, string>,
    query: fill('query') as Record<string, string>,
    body: operation.body === undefined ? undefined : fill('body'),
  };
}

function value(schema: Schema, ids: (resource: Resource) => string): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  // Of a text with a form of its own.
  if (schema.examples !== undefined) return schema.examples[0];
  if (schema.anyOf !== undefined) return value(schema.anyOf[0] ?? {}, ids);
  const resource = getResource(schema);
  if (resource !== undefined) return ids(resource);
  const type = Array.isArray(schema.type) ? (schema.type as readonly string[])[0] : schema.type;
  switch (type) {
    case 'object': {
      const required = Object.entries(schema.properties ?? {}).filter(([name]) =>
        schema.required?.includes(name),
      );
      return Object.fromEntries(required.map(([name, each]) => [name, value(each, ids)]));
    }
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => value(schema.items ?? {}, ids));
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return false;
    case 'string':
      if (schema.format === 'date-time') return new Date().toISOString();
      if (schema.format === 'uri') return 'https://127.0.0.1:2/';
      if (schema.format === 'email') return 'someone@example.com';
      return 'x'.repeat(Math.max(1, schema.minLength ?? 1));
    default:
      return undefined;
  }
}
