/**
 * Generates what `skein api` knows about each operation from the contract: its purpose, its fields, and the credentials that may call it.
 * `npm run generate` writes it to generated/operations.ts.
 */
import { openApiDocument } from '../../protocol/openapi/index.ts';
import {
  getJsonSchema,
  isPage,
  resolveSchema,
  type OpenApiDocument,
  type OperationObject,
  type Schema,
} from '../sdk/generator/document.ts';
import { formatType } from '../sdk/generator/type-text.ts';
import { withoutCall } from '../sdk/names.ts';

/** Returns the text of the file. */
export function generate(): string {
  const document = openApiDocument({
    baseUrl: 'http://127.0.0.1:8080',
    docsUrl: 'http://127.0.0.1:8080/docs',
  }) as unknown as OpenApiDocument;
  const rows = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { operationId }]) => !(withoutCall as readonly string[]).includes(operationId))
      .map(([verb, operation]) => {
        const described = describeOperation(document, verb.toUpperCase(), path, operation);
        return `  ${operation.operationId}: ${JSON.stringify(described)},\n`;
      }),
  );
  return `// Made by generate.ts from the contract. Do not edit.
import type { OperationId } from '../../sdk/index.ts';
import type { OperationDescription } from '../operation-description.ts';

export const operations: Readonly<Record<OperationId, OperationDescription>> = {
${rows.join('')}};
`;
}

function describeOperation(
  document: OpenApiDocument,
  method: string,
  path: string,
  operation: OperationObject,
): object {
  const { summary, security = [], parameters = [] } = operation;
  const body = getJsonSchema(operation.requestBody?.content);
  const named = parameters.filter(({ name }) => name !== undefined);
  return {
    method,
    path,
    summary,
    access: security.length === 0 ? 'anyone' : security.some(each => 'apiKey' in each) ? 'key' : 'signIn',
    scopes: operation['x-api-key-scopes'] ?? [],
    isList: isList(document, operation),
    fields: [
      ...named.map(({ name = '', in: place = '', required = false, schema, description }) =>
        describeField(name, place, required, schema, description),
      ),
      ...(body === undefined ? [] : describeBody(resolveSchema(document, body))),
    ],
  };
}

function isList(document: OpenApiDocument, { responses }: OperationObject): boolean {
  const schema = getJsonSchema(responses['200']?.content);
  return schema !== undefined && isPage(resolveSchema(document, schema));
}

function describeBody({ properties = {}, required = [] }: Schema): object[] {
  return Object.entries(properties).map(([name, schema]) =>
    describeField(name, 'body', required.includes(name), schema, schema.description),
  );
}

function describeField(
  name: string,
  place: string,
  isRequired: boolean,
  schema: Schema | undefined,
  description = '',
): object {
  const type = formatType(schema, 'input').replaceAll(/\s+/g, ' ').replaceAll('readonly ', '');
  return { name, place, isRequired, type, description };
}
