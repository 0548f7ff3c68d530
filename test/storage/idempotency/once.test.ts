/** Work under a key in a transaction of storage: the key and the work are there together, or neither is. */
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { executeBound } from '../../../storage/database/database.ts';
import { IdempotencyKeys } from '../../../storage/idempotency/idempotency-keys.ts';
import { KeyTaken, performOnce, transactOnce, type WorkKey } from '../../../storage/idempotency/once.ts';
import { startTestDatabase } from '../../support/database.ts';

const { database } = await startTestDatabase(t);
const keys = new IdempotencyKeys(database);
await database.query('create table done (mark text)');

function newKey(): WorkKey {
  return {
    keyHash: randomBytes(32).toString('base64'),
    fingerprint: randomBytes(32).toString('base64'),
  };
}

/** Adds a row that anybody can count. */
function add(key: WorkKey | undefined, mark: string, then: () => unknown = () => undefined) {
  return transactOnce(database, key, async em => {
    await executeBound(em, 'insert into done values ($1)', [mark]);
    await then();
    return { mark };
  });
}

async function count(mark: string): Promise<number> {
  const rows = await database.query('select 1 from done where mark = $1', [mark]);
  return rows.length;
}

t.test('without a key each time is the first', async t => {
  await add(undefined, 'free');
  await add(undefined, 'free');
  t.equal(await count('free'), 2);
});

t.test('of many at once one does the work, and nobody waits for it', async t => {
  const key = newKey();
  let others: PromiseSettledResult<unknown>[] = [];
  await add(key, 'many', async () => {
    others = await Promise.allSettled([1, 2].map(() => add(key, 'many')));
  });
  t.same(
    others.map(each => each.status === 'rejected' && each.reason instanceof KeyTaken),
    [true, true],
  );
  await t.rejects(add(key, 'many'), KeyTaken);
  t.equal(await count('many'), 1);
  t.match(await keys.find(key, []), { status: 201, body: '{"mark":"many"}' });
});

t.test('what is rolled back leaves no key', async t => {
  const key = newKey();
  const refusal = new Error('by design');
  await t.rejects(
    add(key, 'refused', () => Promise.reject(refusal)),
    refusal,
  );
  t.equal(await keys.find(key, []), undefined);
  await add(key, 'refused');
  t.equal(await count('refused'), 1);
});

t.test('an expired key is taken over', async t => {
  const key = newKey();
  await add(key, 'expired');
  await database.query('update idempotency_keys set expires_at = now()');
  await add(key, 'expired');
  t.equal(await count('expired'), 2);
  await t.rejects(add(key, 'expired'), KeyTaken);
});

t.test('a secret is kept sealed', async t => {
  const key = { ...newKey(), seal: (text: string) => Promise.resolve(Buffer.from(text).toString('hex')) };
  await transactOnce(database, key, () => ({ secret: 'whsec_1' }));
  const sealed = Buffer.from('{"secret":"whsec_1"}').toString('hex');
  t.match(await keys.find(key, []), { body: JSON.stringify(sealed) });
});

t.test('work that the database does not see is looked for before, and kept after', async t => {
  const key = newKey();
  let runs = 0;
  const run = () => performOnce(database, key, () => Promise.resolve({ n: ++runs }));
  t.same(await run(), { n: 1 });
  await t.rejects(run(), KeyTaken);
  t.equal(runs, 1);
  t.match(await keys.find(key, []), { body: '{"n":1}' });
});
