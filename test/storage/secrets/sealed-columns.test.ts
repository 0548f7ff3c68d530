/** The lists of what is sealed and hashed name what the schema has. What is sealed in fact is looked for by test/contract/success.test.ts. */
import t from 'tap';
import { hashedColumns, sealedColumns } from '../../../storage/secrets/sealed-columns.ts';
import { startTestDatabase } from '../../support/database.ts';

/** Bytes that are no hash with a key. */
const unkeyed = [
  'attachments.sha256',
  'chatapp_webhooks.body',
  'passkeys.credential_id',
  'passkeys.public_key',
];

const selectColumns = `
  select table_name || '.' || column_name as name, data_type as type from information_schema.columns
  where table_schema = 'public'`;

t.test('every column exists, and every hash of the schema is named with how long it lives', async t => {
  const { database } = await startTestDatabase(t);
  const columns = await database.query<{ name: string; type: string }>(selectColumns);
  const names = new Set(columns.map(({ name }) => name));
  const sealed = sealedColumns.map(({ table, column }) => `${table}.${column}`);
  t.same(
    [...sealed, ...Object.keys(hashedColumns)].filter(name => !names.has(name)),
    [],
  );
  const hashes = columns.filter(({ name, type }) => type === 'bytea' || /fingerprint$/.test(name));
  t.same(hashes.map(({ name }) => name).sort(), [...Object.keys(hashedColumns), ...unkeyed].sort());
});
