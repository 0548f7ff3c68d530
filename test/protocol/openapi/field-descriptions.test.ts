import t from 'tap';
import { openApiDocument } from '../../../protocol/openapi/document.ts';
import { commonDescriptions, placeDescriptions } from '../../../protocol/openapi/field-descriptions.ts';

interface Schema {
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly $ref?: string;
  readonly const?: unknown;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name?: string;
    readonly description?: string;
    readonly schema?: Schema;
  }[];
}

const document = openApiDocument({
  baseUrl: 'https://a.test',
  docsUrl: 'https://a.test/docs',
}) as unknown as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

interface Field {
  readonly place: string;
  readonly name: string;
  readonly schema: Schema;
}

/** Every field of a schema, also of the objects within it. */
function* fields(schema: Schema, place: string): Generator<Field> {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    yield { place, name, schema: field };
    yield* fields(field, name === 'data' && place.endsWith('Event') ? 'Event.data' : `${place}.${name}`);
  }
  for (const part of [
    schema.items,
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(schema.allOf ?? []),
  ]) {
    if (part !== undefined) yield* fields(part, place);
  }
}

/** The fields of all events are those of the place `Event`. */
const getPlace = (title: string): string =>
  /.Event$/.test(title) && !/^Timeline|^ConsoleStream/.test(title) ? 'Event' : title;

const all: readonly Field[] = [
  ...Object.entries(document.components.schemas).flatMap(([title, schema]) => [
    ...fields(schema, getPlace(title)),
  ]),
  ...Object.values(document.paths)
    .flatMap(item => Object.values(item))
    .flatMap(({ operationId, parameters = [] }) =>
      parameters.flatMap(({ name, description, schema }): Field[] => {
        if (name === undefined) return [];
        const described = { ...schema, ...(description === undefined ? {} : { description }) };
        return [{ place: operationId, name, schema: described }];
      }),
    ),
];

/** What a field holds, whether or not it may be null. */
function getKind({ type, format, $ref, anyOf }: Schema): string {
  const types = [type ?? []].flat().filter(each => each !== 'null');
  if (types.length > 0) return [...types, format].filter(each => each !== undefined).join(' ');
  return $ref ?? anyOf?.find(each => each.$ref !== undefined)?.$ref ?? 'anything';
}

const isNullable = ({ type, anyOf }: Schema): boolean =>
  [type ?? []].flat().includes('null') || anyOf?.some(each => each.type === 'null') === true;

t.test('a sentence that several places share stands on fields of one type', async t => {
  for (const [name, description] of Object.entries(commonDescriptions)) {
    const described = all.filter(
      field => field.name === name && field.schema.description?.startsWith(description),
    );
    const kinds = new Set(described.map(({ schema }) => getKind(schema)));
    t.equal(kinds.size, 1, `${name}: ${[...kinds].join(', ')}`);
  }
});

t.test('a sentence of a place describes a field that is there', async t => {
  for (const [places, described] of Object.entries(placeDescriptions)) {
    for (const place of places.split(' ')) {
      for (const [name, description] of Object.entries(described)) {
        const found = all.filter(
          field =>
            field.name === name && (field.place === place || (place === 'List' && /List$/.test(field.place))),
        );
        t.ok(
          found.some(({ schema }) => schema.description?.startsWith(description)),
          `${place}.${name}`,
        );
      }
    }
  }
});

t.test('what a sentence says of null, of lengths and of numbers is so', async t => {
  for (const { place, name, schema } of all) {
    const { description = '' } = schema;
    const lengths = /(\d+) to (\d+) characters/.exec(description);
    if (lengths !== null) {
      const { minLength, maxLength } = schema;
      t.strictSame([minLength, maxLength], [Number(lengths[1]), Number(lengths[2])], `${place}.${name}`);
    }
    if (description.includes('At most ten')) t.equal(schema.maxItems, 10, `${place}.${name}`);
    if (description.includes('Six digits')) t.match(schema.pattern, '{6}');
    // Of a request a sentence may say what null means in the answer.
    if (/; null:/.test(description) && !/Body$/.test(place)) t.ok(isNullable(schema), `${place}.${name}`);
  }
});

t.test('what is said of errors is said of no other schema, and no other name misleads', async t => {
  const find = (place: string, name: string): string | undefined =>
    all.find(field => field.place === place && field.name === name)?.schema.description;
  for (const [name, description] of Object.entries(placeDescriptions['ErrorBody'] ?? {})) {
    t.equal(find('ErrorBody', name), description);
    for (const field of all.filter(({ place }) => place !== 'ErrorBody')) {
      t.not(field.schema.description, description, `${field.place}.${field.name}`);
    }
  }
  t.equal(find('Event.data', 'message'), undefined);
  t.equal(find('LoginBody', 'password'), undefined);
  t.match(find('ResolveSuggestionBody', 'action'), 'discard');
  t.match(find('AuditLog', 'requestId'), 'did it');
  t.match(find('CreatedPartnerAppCredential', 'webhookUrl'), 'chat provider');
  t.match(find('InteractiveContent', 'data'), 'filled in');
  t.match(find('Event', 'eventName') ?? '', /^(?!.*pattern)/);
});
