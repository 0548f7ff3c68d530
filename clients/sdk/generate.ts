/**
 * `npm run sdk`: writes what of the client follows from the contract (generated/), from the project's own tables. It takes a second; a test
 * compares what it gives with what is committed.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errors } from '../../protocol/errors.ts';
import { openApiDocument } from '../../protocol/openapi/index.ts';
import type { OperationId, operations } from '../../protocol/operations/index.ts';
import { readCalls } from './generator/calls.ts';
import type { OpenApiDocument } from './generator/document.ts';
import { formatOperations, formatResources, formatTypes } from './generator/files.ts';
import { extraMethods, operationNames, repeatableWithoutKey, withoutCall } from './names.ts';

type Rows = typeof operations;
/** The operations that the client has to name: all public ones but those without a call. */
type NamedOperationId = {
  [Id in OperationId]: Rows[Id] extends { readonly hidden: true }
    ? never
    : Id extends (typeof withoutCall)[number]
      ? never
      : Id;
}[OperationId];

/** The generated files, by their names. */
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

if (import.meta.main) {
  const folder = fileURLToPath(new URL('generated', import.meta.url));
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(generate())) writeFileSync(join(folder, name), text);
}
