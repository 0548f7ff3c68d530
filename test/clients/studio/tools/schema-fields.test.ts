/** The form of a tool's JSON Schema, and the arguments that it makes of what was typed. */
import t from 'tap';
import {
  readSchemaFields,
  type SchemaField,
  toArguments,
} from '../../../../clients/studio/tools/schema-fields.ts';

const make = (fields: readonly SchemaField[], typed: Readonly<Record<string, string>>) =>
  toArguments(fields, new Map(Object.entries(typed)));

const schema = {
  type: 'object',
  properties: {
    number: { type: 'string', description: 'As the customer has it.' },
    count: { type: 'integer' },
    weight: { type: 'number' },
    urgent: { type: 'boolean' },
    size: { enum: ['s', 'm'] },
    address: { type: 'object' },
    either: { type: ['string', 'null'] },
    toString: true,
  },
  required: ['number', 'address'],
};

t.test('a field for each property, by its type', async t => {
  const fields = readSchemaFields(schema) ?? [];
  t.strictSame(
    fields.map(({ name, kind }) => `${name} ${kind}`),
    [
      'number text',
      'count integer',
      'weight number',
      'urgent boolean',
      'size choice',
      'address json',
      'either json',
      'toString json',
    ],
  );
  t.match(fields[0], { isRequired: true, description: 'As the customer has it.' });
  t.match(fields[4], { isRequired: false, choices: ['s', 'm'] });
});

t.test('what names no properties has no form', async t => {
  for (const none of [undefined, null, true, [], {}, { type: 'string' }, { properties: [] }])
    t.equal(readSchemaFields(none), undefined);
});

t.test('arguments have the types of the schema; what was left empty is left out', async t => {
  const fields = readSchemaFields(schema) ?? [];
  t.strictSame(make(fields, { number: 'A17', count: '2', weight: '0.5', urgent: 'true', address: '{}' }), {
    number: 'A17',
    count: 2,
    weight: 0.5,
    urgent: true,
    address: {},
  });
  t.strictSame(make(fields, { address: '[1]' }), { number: '', address: [1] });
  t.throws(() => make(fields, { address: '{"a":' }), SyntaxError);
});
