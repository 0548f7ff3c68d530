import t from 'tap';
import { KeyVerifier } from '../../../gateway/auth/authenticate.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import type { ApiKeys } from '../../../storage/tenancy/api-keys.ts';
import { newApiKeySecret } from '../../../storage/tenancy/api-key-secret.ts';
import { accountServices, auditContext, origin } from '../../support/accounts.ts';
import { startTestDatabase } from '../../support/database.ts';
import { ManualClock } from '../stream/stream-fixture.ts';

const { database: db } = await startTestDatabase(t);
const clock = new ManualClock();
const { apiKeys, newPerson } = accountServices(db, clock);
const { projectId, userId } = await newPerson();
const refused = { code: 'svc/auth/invalid_api_key' };

async function newKey(expiresAt: Date | null = null) {
  const { apiKey, secret } = await apiKeys.create({
    projectId,
    name: 'a key',
    environment: 'test',
    scopes: ['threads:read'],
    expiresAt,
    byUserId: userId,
    origin,
    now: clock.now(),
  });
  return { apiKeyId: apiKey.apiKeyId, secret };
}

/** The real thing, counting its questions and able to be slow. */
function bench() {
  const counts = { asked: 0, written: 0 };
  let gate: Promise<void> | undefined;
  const counted: Pick<ApiKeys, 'findGrant' | 'recordUses'> = {
    findGrant: async secret => {
      counts.asked += 1;
      const grant = await apiKeys.findGrant(secret);
      await gate;
      return grant;
    },
    recordUses: async uses => {
      counts.written += 1;
      await apiKeys.recordUses(uses);
    },
  };
  const verifier = new KeyVerifier({ apiKeys: counted, clock, log: silentLog });
  return {
    counts,
    verifier,
    verify: async (secret: string, address = '192.0.2.1') => verifier.verify(secret, { address }),
    hold: (until: Promise<void> | undefined) => (gate = until),
  };
}

async function lastUse(apiKeyId: string) {
  const { data } = await apiKeys.list(projectId, { limit: 100 }, clock.now());
  const key = data.find(each => each.apiKeyId === apiKeyId);
  return [key?.lastUsedAt, key?.lastUsedIp];
}

t.test('a key is asked for once and then answered synchronously, the same caller each time', async t => {
  const { counts, verifier, verify } = bench();
  const { secret, apiKeyId } = await newKey();
  const callers = await Promise.all([verify(secret), verify(secret), verify(secret)]);
  t.equal(counts.asked, 1);
  t.match(callers[0], { type: 'key', apiKeyId, projectId, scopes: new Set(['threads:read']) });
  t.equal(verifier.verify(secret, { address: '192.0.2.1' }), callers[0]);
  await verifier.drain();
});

t.test('a revocation elsewhere shows within a second', async t => {
  const { verify, verifier } = bench();
  const { secret, apiKeyId } = await newKey();
  await verify(secret);
  await apiKeys.revoke({ projectId, apiKeyId, ...auditContext(userId, clock.now()) });
  await clock.advance(400);
  t.ok(await verify(secret), 'not seen yet');
  await clock.advance(600);
  await t.rejects(verify(secret), refused);
  await verifier.drain();
});

t.test('forget makes it show at once, even to a question that is under way', async t => {
  const { verify, verifier, hold } = bench();
  const { secret, apiKeyId } = await newKey();
  const { promise, resolve } = Promise.withResolvers<void>();
  hold(promise);
  const slow = verify(secret);
  await apiKeys.revoke({ projectId, apiKeyId, ...auditContext(userId, clock.now()) });
  verifier.forget(apiKeyId);
  hold(undefined);
  await t.rejects(verify(secret), refused);
  resolve();
  await slow.catch(() => undefined);
  await t.rejects(verify(secret), refused, 'a late answer is not kept');
  await verifier.drain();
});

t.test('a key ends to the millisecond, held or not', async t => {
  const { verify, verifier } = bench();
  const { secret } = await newKey(new Date(clock.now() + 300));
  t.ok(await verify(secret));
  await clock.advance(299);
  t.ok(await verify(secret));
  await clock.advance(1);
  await t.rejects(verify(secret), refused);
  await verifier.drain();
});

t.test('text without the form of a key is refused without a query', async t => {
  const { counts, verify } = bench();
  for (const rubbish of ['', 'svc_test_', 'svc_test_x', `svc_live_${'-'.repeat(43)}`]) {
    await t.rejects(verify(rubbish), refused);
  }
  t.equal(counts.asked, 0);
  const { secret: unknown } = newApiKeySecret('test');
  await t.rejects(verify(unknown), refused);
  t.equal(counts.asked, 1);
  await t.rejects(verify(unknown), refused);
  t.equal(counts.asked, 1, 'nor is a key of nobody asked for twice');
});

t.test('an unknown key is charged before it is looked up, and refused when the bucket is empty', async t => {
  const { counts, verifier } = bench();
  const { secret } = await newKey();
  const paid: string[] = [];
  const from = (address: string, spent = false) => ({
    address,
    chargeAnonymous: () => {
      paid.push(address);
      if (spent) throw new Error('spent');
    },
  });
  t.throws(() => verifier.verify(secret, from('192.0.2.1', true)), { message: 'spent' });
  t.equal(counts.asked, 0);
  await verifier.verify(secret, from('192.0.2.2'));
  await clock.advance(5_000);
  await verifier.verify(secret, from('192.0.2.3', true));
  t.equal(counts.asked, 2, 'asked again after a second, as one that is known');
  t.strictSame(paid, ['192.0.2.1', '192.0.2.2']);
  await verifier.drain();
});

t.test('last uses are written every 10 s, all in one statement, and at the end', async t => {
  const { counts, verify, verifier } = bench();
  const [one, two] = [await newKey(), await newKey()];
  await verify(one.secret, '192.0.2.1');
  await clock.advance(5000);
  await verify(one.secret, '192.0.2.2');
  const at = new Date(clock.now()).toISOString();
  await verify(two.secret, '2001:db8::2');
  t.equal(counts.written, 0);
  await clock.advance(5000);
  await verifier.drain();
  t.equal(counts.written, 1);
  t.same(await lastUse(one.apiKeyId), [at, '192.0.2.2']);
  t.same(await lastUse(two.apiKeyId), [at, '2001:db8::2']);

  await verify(one.secret, '192.0.2.3');
  await verifier.drain();
  t.equal(counts.written, 2);
  t.match(await lastUse(one.apiKeyId), [/./, '192.0.2.3']);
});
