/** The row of an idempotency key: absent, done, refused; see storage/idempotency/idempotency-keys.ts. */
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { IdempotencyKeys } from '../../../storage/idempotency/idempotency-keys.ts';
import type { RequestKey } from '../../../storage/writes/events-and-answers.ts';
import { startTestDatabase } from '../../support/database.ts';

const { database } = await startTestDatabase(t);
const keys = new IdempotencyKeys(database);

function newKey(): RequestKey {
  return {
    keyHash: randomBytes(32).toString('base64'),
    fingerprint: randomBytes(32).toString('base64'),
  };
}

async function expire({ keyHash }: RequestKey): Promise<void> {
  await database.query(
    `update idempotency_keys set expires_at = now() - interval '1 second' where key_hash = decode($1, 'base64')`,
    [keyHash],
  );
}

t.test('a refusal is kept once, for 24 hours', async t => {
  const key = newKey();
  const fingerprint = Buffer.from(key.fingerprint, 'base64');
  t.equal(await keys.find(key, []), undefined);
  const kept = await Promise.all(Array.from({ length: 8 }, () => keys.keepRefusal(key, 409, '{}')));
  t.equal(kept.filter(Boolean).length, 1);
  t.match(await keys.find(key, []), { fingerprint, status: 409, body: '{}' });
  await expire(key);
  t.equal(await keys.find(key, []), undefined);
  t.equal(await keys.keepRefusal(key, 422, '[]'), true, 'and another takes its place');
  t.match(await keys.find(key, []), { status: 422, body: '[]' });
});

t.test('only an expired row is dropped', async t => {
  const key = newKey();
  await keys.keepRefusal(key, 409, '{}');
  await keys.dropExpired(key);
  t.match(await keys.find(key, []), { status: 409 });
  await expire(key);
  await keys.dropExpired(key);
  t.strictSame(
    await database.query(`select 1 from idempotency_keys where key_hash = decode($1, 'base64')`, [
      key.keyHash,
    ]),
    [],
  );
});
