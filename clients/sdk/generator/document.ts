/** The parts of an OpenAPI document that the generator reads. */

/** A JSON Schema, as the document has it: titled schemas are references. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

export interface Content {
  readonly [mediaType: string]: { readonly schema: Schema } | undefined;
}

export interface Parameter {
  readonly $ref?: string;
  readonly name?: string;
  readonly in?: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

export interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, ResponseObject>>;
  readonly 'x-api-key-scopes'?: readonly string[];
}

export interface ResponseObject {
  readonly $ref?: string;
  readonly content?: Content;
}

export interface OpenApiDocument {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: OperationObject }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<
      Record<string, { readonly content: Readonly<Record<string, { readonly examples?: Examples }>> }>
    >;
  };
}

type Examples = Readonly<Record<string, { readonly value: { readonly error: string } }>>;

/** The last part of a reference: `Thread` of `#/components/schemas/Thread`. */
export function getReferenceName(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

/** The schema of a JSON body; undefined where there is none. */
export function getJsonSchema(content: Content | undefined): Schema | undefined {
  return content?.['application/json']?.schema;
}

/** The schema itself, where it is a reference to a component. */
export function resolveSchema(document: OpenApiDocument, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const found = document.components.schemas[getReferenceName(schema.$ref)];
  if (found === undefined) throw new Error(`the document has no ${schema.$ref}`);
  return found;
}

/** Whether it is the answer of a list: `{data, nextCursor, hasMore}`. */
export function isPage(schema: Schema): boolean {
  return schema.properties?.['nextCursor'] !== undefined && schema.properties['data'] !== undefined;
}
