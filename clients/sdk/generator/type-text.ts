/** JSON Schemas as TypeScript. */
import { getReferenceName, type Schema } from './document.ts';

/** Who writes a value of the type: callers write inputs, the server writes outputs. */
export type Direction = 'input' | 'output';

/** Fields that the client fills in, so that callers may leave them out. */
const filledIn = new Set(['projectId', 'environmentId']);

/** Component names that would hide a name of the language. */
const renamed: Readonly<Record<string, string>> = { Event: 'SkeinEvent' };

/** The type's name for a component. */
export function toTypeName(component: string): string {
  return renamed[component] ?? component;
}

/** A doc comment with these lines, at that indentation; empty where there is nothing to say. */
export function formatComment(lines: readonly (string | undefined)[], indent: string): string {
  const shown = lines
    .flatMap(line => (line ?? '').split('\n'))
    .filter(line => line !== '')
    .map(line => line.replaceAll('*/', '*\\/'));
  if (shown.length === 0) return '';
  if (shown.length === 1) return `${indent}/** ${shown[0]} */\n`;
  return `${indent}/**\n${shown.map(line => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}

/** The type of a schema. `indent`: of the line that it stands on. */
export function formatType(schema: Schema | undefined, direction: Direction, indent = ''): string {
  if (schema === undefined) return 'unknown';
  if (schema.$ref !== undefined) return toTypeName(getReferenceName(schema.$ref));
  if (schema.const !== undefined) return formatLiteral(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(formatLiteral).join(' | ');
  const join = (schemas: readonly Schema[], sign: string): string =>
    schemas.map(each => formatType(each, direction, indent)).join(sign);
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) return join(alternatives, ' | ');
  if (schema.allOf !== undefined) return join(schema.allOf, ' & ');
  if (typeof schema.type === 'object') {
    return join(
      schema.type.map(type => ({ ...schema, type })),
      ' | ',
    );
  }
  return formatPlainType(schema, direction, indent);
}

function formatLiteral(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
}

function formatPlainType(schema: Schema, direction: Direction, indent: string): string {
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type as string;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return formatArray(schema.items, direction, indent);
    case 'object':
      return schema.properties === undefined || Object.keys(schema.properties).length === 0
        ? formatRecord(schema, direction, indent)
        : formatFields(schema, direction, indent);
    default:
      return 'unknown';
  }
}

function formatArray(items: Schema | undefined, direction: Direction, indent: string): string {
  const item = formatType(items, direction, indent);
  const isCompound = !item.startsWith('{') && /[ |&]/.test(item);
  return `${direction === 'input' ? 'readonly ' : ''}${isCompound ? `(${item})` : item}[]`;
}

function formatRecord(schema: Schema, direction: Direction, indent: string): string {
  const { additionalProperties, patternProperties = {} } = schema;
  const values =
    typeof additionalProperties === 'object' ? additionalProperties : Object.values(patternProperties)[0];
  const type = formatType(values, direction, indent);
  return direction === 'input' ? `Readonly<Record<string, ${type}>>` : `Record<string, ${type}>`;
}

/** An object type with a field a line: of inputs, optional ones take undefined, and so do those that the client fills in. */
export function formatFields(schema: Schema, direction: Direction, indent = ''): string {
  const required = new Set(schema.required ?? []);
  const inner = `${indent}  `;
  const isInput = direction === 'input';
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const isFilledIn = isInput && filledIn.has(name);
    const isOptional = !required.has(name) || isFilledIn;
    const comment = [
      field.description,
      isInput && field.default !== undefined ? `@default ${JSON.stringify(field.default)}` : undefined,
      isFilledIn ? "@default the client's" : undefined,
    ];
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    const type = formatType(field, direction, inner);
    const suffix = isOptional && isInput ? ' | undefined' : '';
    return `${formatComment(comment, inner)}${inner}${key}${isOptional ? '?' : ''}: ${type}${suffix};\n`;
  });
  return `{\n${fields.join('')}${indent}}`;
}

/** `Thread` of `thread`, `ApiKeys` of `apiKeys`. */
export function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
