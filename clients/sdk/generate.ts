/** Generates the part of the client that follows from the contract. `npm run generate` writes it to generated/. */
import { errors } from '../../protocol/errors.ts';
import { openApiDocument } from '../../protocol/openapi/index.ts';
import type { OperationId, operations } from '../../protocol/operations/index.ts';
import { readCalls } from './generator/calls.ts';
import type { OpenApiDocument } from './generator/document.ts';
import { formatOperations, formatResources, formatTypes } from './generator/files.ts';
import { extraMethods, operationNames, repeatableWithoutKey, withoutCall } from './names.ts';

type Rows = typeof operations;
/** Operations that need a name in names.ts: all public ones, except those without a call. */
type NamedOperationId = {
  [Id in OperationId]: Rows[Id] extends { readonly hidden: true }
    ? never
    : Id extends (typeof withoutCall)[number]
      ? never
      : Id;
}[OperationId];

/** Returns the texts of the files by their names. */
export function generate(): Readonly<Record<string, string>> {
  const names = operationNames satisfies Readonly<Record<NamedOperationId, string>>;
  const document = openApiDocument({
    baseUrl: 'http://127.0.0.1:8080',
    docsUrl: 'http://127.0.0.1:8080/docs',
  }) as unknown as OpenApiDocument;
  const calls = readCalls(document, { operationNames: names, withoutCall, repeatableWithoutKey });
  return {
    'types.ts': formatTypes(document, Object.keys(errors)),
    'resources.ts': formatResources(document, calls, extraMethods),
    'operations.ts': formatOperations(calls, document.info.version),
  };
}
