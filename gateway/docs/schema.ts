/** JSON Schemas of the document as people read them. */
import type { Json } from '../../protocol/openapi/json.ts';
import { html, type Html } from './html.ts';

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly Json[];
  readonly const?: Json;
  readonly default?: Json;
  readonly [limit: string]: unknown;
}

/** Where a component is explained. */
export function linkTo(ref: string): Html {
  const name = ref.slice(ref.lastIndexOf('/') + 1);
  return html`<a href="/docs/schemas#${name}">${name}</a>`;
}

const limits: readonly (readonly [keyword: string, words: (value: string) => string])[] = [
  ['format', value => value],
  ['minLength', value => `at least ${value} characters`],
  ['maxLength', value => `at most ${value} characters`],
  ['minimum', value => `at least ${value}`],
  ['exclusiveMinimum', value => `more than ${value}`],
  ['maximum', value => `at most ${value}`],
  ['minItems', value => `at least ${value} items`],
  ['maxItems', value => `at most ${value} items`],
  ['pattern', value => `matches ${value}`],
];

/** Its type and limits, in a line. */
export function typeOf(schema: Schema): Html {
  if (schema.$ref !== undefined) return linkTo(schema.$ref);
  if (schema.anyOf !== undefined) return joined(schema.anyOf.map(typeOf), ' or ');
  if (schema.allOf !== undefined) return joined(schema.allOf.map(typeOf), ' with ');
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  const told = limits.flatMap(([keyword, words]) =>
    schema[keyword] === undefined ? [] : [words(String(schema[keyword]))],
  );
  if (schema.default !== undefined) told.push(`default ${JSON.stringify(schema.default)}`);
  const rest = told.length === 0 ? '' : `, ${told.join(', ')}`;
  if (schema.enum !== undefined) {
    return html`${joined(
      schema.enum.map(value => html`<code>${JSON.stringify(value)}</code>`),
      ' | ',
    )}${rest}`;
  }
  if (schema.items !== undefined) return html`list of ${typeOf(schema.items)}${rest}`;
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['anything']);
  return html`${types.join(' or ')}${rest}`;
}

function joined(parts: readonly Html[], between: string): Html {
  return html`${parts.map((part, index) => html`${index > 0 && between}${part}`)}`;
}

/** The fields of an object as a table; nothing for any other schema. */
export function fieldsOf({ properties, required = [], allOf }: Schema): Html {
  if (allOf !== undefined) return html`${allOf.map(fieldsOf)}`;
  if (properties === undefined) return html``;
  return html`<div class="wide">
    <table>
      <thead>
        <tr>
          <th>Field</th>
          <th>Type</th>
          <th>Meaning</th>
        </tr>
      </thead>
      <tbody>
        ${Object.entries(properties).map(
          ([name, field]) =>
            html`<tr>
              <td><code>${name}</code>${!required.includes(name) && html` <small>optional</small>`}</td>
              <td>${typeOf(field)}</td>
              <td>${field.description}${field.properties !== undefined && fieldsOf(field)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** A value as it goes over the wire. */
export function exampleBlock(value: unknown, title = 'Example'): Html {
  return html`<details>
    <summary>${title}</summary>
    <pre>${JSON.stringify(value, null, 2)}</pre>
  </details>`;
}
