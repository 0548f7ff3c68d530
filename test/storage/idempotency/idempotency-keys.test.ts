/** The row of an idempotency key: absent, in progress, kept; see storage/idempotency/idempotency-keys.ts. */
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { claimMs, IdempotencyKeys, type Claim } from '../../../storage/idempotency/idempotency-keys.ts';
import { startTestDatabase } from '../../support/database.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const { database } = await startTestDatabase(t);
const clock = new VirtualClock(Date.parse('2026-11-20T10:00:00Z'));
const keys = new IdempotencyKeys(database, clock);
const fingerprint = randomBytes(32);
const dayMs = 86_400_000;

async function claim(keyHash: Buffer): Promise<Claim> {
  const claimed = await keys.claim(keyHash, fingerprint);
  if (!('claimedAt' in claimed)) throw new Error('another request has the key');
  return claimed;
}

t.test('of many requests with one key exactly one claims it, and the others see it in progress', async t => {
  const keyHash = randomBytes(32);
  const claims = await Promise.all(Array.from({ length: 20 }, () => keys.claim(keyHash, fingerprint)));
  t.equal(claims.filter(each => 'claimedAt' in each).length, 1);
  t.match(await keys.find(keyHash, []), { fingerprint, status: null, body: null });
});

t.test('a kept answer holds for 24 hours, whatever claims and refusals come', async t => {
  const keyHash = randomBytes(32);
  await keys.keep(await claim(keyHash), 201, '{"ok":true}');
  await clock.advance(dayMs - 1);
  t.match(await keys.claim(keyHash, randomBytes(32)), { fingerprint, status: 201, body: '{"ok":true}' });
  t.equal(await keys.keepRefusal(keyHash, randomBytes(32), 404, '{}'), false);
  await clock.advance(1);
  t.equal(await keys.find(keyHash, []), undefined);
  await claim(keyHash);
});

t.test('a claim that lapsed can neither keep an answer nor release the key of its successor', async t => {
  const keyHash = randomBytes(32);
  const lapsed = await claim(keyHash);
  await clock.advance(claimMs);
  const next = await claim(keyHash);
  await keys.keep(lapsed, 200, '"late"');
  await keys.release(lapsed);
  t.match(await keys.find(keyHash, []), { status: null });
  await keys.keep(next, 200, '"next"');
  await keys.release(next);
  t.match(await keys.find(keyHash, []), { status: 200, body: '"next"' }, 'a kept answer is not released');
});

t.test('a released or dropped key is free at once', async t => {
  const keyHash = randomBytes(32);
  await keys.release(await claim(keyHash));
  t.equal(await keys.find(keyHash, []), undefined);
  t.equal(await keys.keepRefusal(keyHash, fingerprint, 404, '{}'), true);
  await keys.dropExpired(keyHash);
  t.match(await keys.find(keyHash, []), { status: 404 }, 'it has not expired');
  await clock.advance(dayMs);
  await keys.dropExpired(keyHash);
  t.strictSame(await database.query('select 1 from idempotency_keys where key_hash = $1', [keyHash]), []);
});
