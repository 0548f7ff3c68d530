/** Rate limits of a cluster: what its nodes admit together, whichever of them is asked, and whoever owns the bucket. */
import assert from 'node:assert/strict';
import fc from '../../support/fuzz.ts';
import t from 'tap';
import type { Rates } from '../../../gateway/quota/rates.ts';
import type { Caller, KeyCaller, ProjectScope, UserCaller } from '../../../gateway/pipeline/handler.ts';
import type { Quota } from '../../../gateway/pipeline/rate-limiter.ts';
import { quotaNodes, type QuotaNode } from './quota-fixture.ts';
import { key, user } from '../rest/rest-fixture.ts';

const live: KeyCaller = { ...key('*'), environmentId: 'env_live', environmentKind: 'production' };
const caller: Caller = live;

function scope(environmentKind: 'sandbox' | 'production', projectId = 'prj_1'): ProjectScope {
  return { projectId, environmentId: `env_${environmentKind}`, environmentKind, role: 'key' };
}

const project = scope('production');

/** Charges so many reads of one key at once; gives how many were allowed. */
async function burst(node: QuotaNode, count: number): Promise<number> {
  const quotas = Array.from({ length: count }, () => node.take('read', { caller }));
  return allowed(await node.clock.until(Promise.all(quotas)));
}

function allowed(quotas: readonly (Quota | undefined)[]): number {
  return quotas.filter(quota => quota?.allowed === true).length;
}

const perSecond = (limit: number): Partial<Rates> => ({ read: { limit, windowMs: 1_000 } });

t.test('nodes that are all asked at once admit one bucket between them', async t => {
  const nodes = await quotaNodes(t, 3, perSecond(100));
  const [first] = nodes;
  assert.ok(first !== undefined);
  const admitted = await first.clock.until(Promise.all(nodes.map(node => burst(node, 90))));
  t.equal(
    admitted.reduce((sum, count) => sum + count),
    100,
  );
});

t.test('a network asks few times whether an address has an account', async t => {
  const [node] = await quotaNodes(t, 1);
  assert.ok(node !== undefined);
  let n = 0;
  const signUp = (address: string, count: number) =>
    Promise.all(
      Array.from({ length: count }, () =>
        node.clock.until(node.take('signUp', { body: { email: `${n++}@example.com` } as never, address })),
      ),
    );
  const authAddress = 10;
  for (let i = 0; i < 3; i++) {
    const expected = i < 2 ? authAddress : 0;
    t.equal(allowed(await signUp('192.0.2.1', authAddress)), expected, '20 an hour for an address');
    await node.clock.advance(60_000);
  }
  let admitted = 0;
  for (let i = 2; i < 30; i++) admitted += allowed(await signUp(`192.0.2.${i}`, 5));
  t.ok(admitted >= 80 && admitted <= 90, `${admitted}: 100 an hour for a network of 24 bits`);
  t.equal(allowed(await signUp('198.51.100.1', 5)), 5);
  t.equal(allowed(await signUp('2001:db8:1::1', 5)), 5);
});

t.test('invitations are few for a workspace, and for whoever is invited', async t => {
  const [node] = await quotaNodes(t, 1, { invitations: { limit: 8, windowMs: 3_600_000 } });
  assert.ok(node !== undefined);
  const { clock } = node;
  const inviter = user('usr_owner');
  const invite = (workspaceId: string, email: string, address = '192.0.2.1') =>
    clock.until(
      node.take('invitation', {
        caller: inviter,
        params: { workspaceId } as never,
        body: { email } as never,
        address,
      }),
    );
  let n = 0;
  const outsiders = (workspaceId: string, count: number) =>
    Promise.all(Array.from({ length: count }, () => invite(workspaceId, `${n++}@example.com`)));
  t.equal(allowed(await outsiders('ws_1', 12)), 8);
  const refused = await invite('ws_1', 'late@example.com');
  t.match(refused, { allowed: false, limit: 8, remaining: 0 });
  t.equal(Math.round(refused.retryAfterSeconds ?? 0), 450);
  t.equal(allowed(await outsiders('ws_2', 3)), 3, 'another workspace');

  const victim = 'ada@example.com';
  const mailed = [1, 2, 3, 4, 5, 6].map(i => invite(`ws_of_many_${i}`, victim));
  t.equal(allowed(await Promise.all(mailed)), 5, 'one address may be mailed to as often as logged in to');
  const login = { body: { email: victim } as never, address: '192.0.2.1' };
  t.equal((await clock.until(node.take('auth', login))).allowed, false, 'which is one bucket');
  t.equal((await clock.until(node.take('auth', { ...login, address: '192.0.2.2' }))).allowed, true);
  const before = await node.shown('skein_quota_charged_total', 'write');
  t.equal(before, 8 + 3 + 5, 'what is refused is charged to none');
});

t.test('guesses from many addresses do not lock the owner of an account out', async t => {
  const email = 'ada@example.com';
  const known = { [email]: ['192.0.2.200', '2001:db8:0:7::1'] };
  const [node] = await quotaNodes(t, 1, {}, known);
  assert.ok(node !== undefined);
  const { clock } = node;
  const login = (address: string) => clock.until(node.take('auth', { body: { email } as never, address }));
  for (let i = 0; i < 30; i++) t.ok((await login(`192.0.2.${1 + Math.floor(i / 5)}`)).allowed);
  t.match(await login('192.0.2.99'), { allowed: false, bucket: 'authEmail' });
  for (const address of ['192.0.2.200', '2001:db8:0:7:ffff::2']) {
    for (let i = 0; i < 5; i++) t.ok((await login(address)).allowed, address);
    t.match(await login(address), { allowed: false, bucket: 'authAddressEmail' }, 'as few as from anywhere');
  }
  t.match(await login('2001:db8:0:8::1'), { allowed: false, bucket: 'authEmail' });

  // Who is signed in changes their password meanwhile, wherever they are.
  const ada = { ...user('usr_ada'), email };
  const change = (body?: Readonly<Record<string, unknown>>, address = '192.0.2.99') =>
    clock.until(node.take('auth', { caller: ada, address, ...(body && { body: body as never }) }));
  t.ok((await change()).allowed);
  // With each other address that they want they try the present password once more.
  for (let i = 0; i < 4; i++) t.ok((await change({ newEmail: `new-${i}@example.com` })).allowed);
  t.match(await change({ newEmail: 'new@example.com' }), { allowed: false, bucket: 'authAddressEmail' });
});

t.test('whoever is named as a new address is mailed to as often as one may sign in', async t => {
  const [node] = await quotaNodes(t, 1);
  assert.ok(node !== undefined);
  const ask = (userId: string, address: string) =>
    node.clock.until(
      node.take('auth', {
        caller: user(userId),
        address,
        body: { newEmail: 'Ada@example.com', password: 'secret' } as never,
      }),
    );
  for (let i = 0; i < 30; i++) {
    const userId = i % 2 === 0 ? 'usr_one' : 'usr_two';
    t.ok((await ask(userId, `192.0.2.${1 + Math.floor(i / 5)}`)).allowed);
  }
  t.match(
    await ask('usr_one', '192.0.2.99'),
    { allowed: false, bucket: 'authEmail' },
    'they share what it may get',
  );
  t.match(await ask('usr_three', '192.0.2.98'), { allowed: false, bucket: 'authEmail' });
});

t.test('a bucket that is slow to fill is remembered for as long, by whichever node it is asked', async t => {
  const [one, two] = await quotaNodes(t, 2, { invitations: { limit: 6, windowMs: 3_600_000 } });
  assert.ok(one !== undefined && two !== undefined);
  const { clock } = one;
  let n = 0;
  const invite = async (node: QuotaNode, count: number): Promise<number> => {
    const asked = Array.from({ length: count }, () =>
      node.take('invitation', {
        caller: user('usr_owner'),
        params: { workspaceId: 'ws_1' } as never,
        body: { email: `${n++}@example.com` } as never,
      }),
    );
    return allowed(await clock.until(Promise.all(asked)));
  };
  t.equal(await invite(one, 9), 6);
  await clock.advance(6 * 60_000);
  t.equal(await invite(two, 9), 0, 'idle for longer than any other bucket is kept');
  await clock.advance(34 * 60_000);
  t.equal(await invite(two, 9), 4, 'what flowed in meanwhile');
});

t.test('whatever comes to whichever node, no span sees more than a bucket and what flowed in', async () => {
  const step = fc.record({
    node: fc.nat(2),
    count: fc.integer({ min: 1, max: 30 }),
    waitMs: fc.oneof(fc.nat(50), fc.constantFrom(300, 999, 1_001, 2_500)),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 60 }),
      fc.array(step, { maxLength: 25 }),
      async (limit, steps) => {
        const ends: (() => unknown)[] = [];
        const nodes = await quotaNodes({ teardown: end => ends.push(end) }, 3, perSecond(limit));
        const spent: { readonly at: number; readonly count: number }[] = [];
        for (const { node, count, waitMs } of steps) {
          const chosen = nodes[node];
          assert.ok(chosen !== undefined);
          const at = chosen.clock.now();
          spent.push({ at, count: await burst(chosen, count) });
          await chosen.clock.advance(waitMs);
        }
        for (const [i, { at: from }] of spent.entries()) {
          let sum = 0;
          for (const { at, count } of spent.slice(i)) {
            sum += count;
            assert.ok(sum <= limit + ((at - from) * limit) / 1_000, `${sum} in ${at - from} ms`);
          }
        }
        for (const end of ends) await end();
      },
    ),
    { numRuns: 60 },
  );
});

t.test('one busy node gets the whole bucket, and all that flows in', async t => {
  for (const busy of [0, 1]) {
    const nodes = await quotaNodes(t, 2, perSecond(100));
    const node = nodes[busy];
    assert.ok(node !== undefined);
    let admitted = 0;
    for (let ms = 0; ms < 3_000; ms += 10) {
      admitted += await burst(node, 3);
      await node.clock.advance(10);
    }
    // What flows in while the bucket is whole is lost, and it is whole until the owner hears of what was spent.
    t.ok(admitted > 388 && admitted <= 400, `${admitted} by the node ${busy}`);
  }
});

t.test('with tokens at hand nothing waits, and what others have left untouched is there again', async t => {
  const [one, two] = await quotaNodes(t, 2, perSecond(100));
  assert.ok(one !== undefined && two !== undefined);
  await burst(two, 1);
  t.ok(two.takesAtOnce('read', { caller }));
  // What the other holds is back two seconds later at the latest.
  await two.clock.advance(2_000);
  await two.clock.advance(1_000);
  t.equal(await burst(one, 200), 100);
});

t.test('a flood costs the owner one ask for each token, and says when to come again', async t => {
  const [, node] = await quotaNodes(t, 2, { test: { limit: 30, windowMs: 60_000 } });
  assert.ok(node !== undefined);
  const last = await (async () => {
    let quota: Quota | undefined;
    for (let i = 0; i < 6_000; i++) {
      quota = await node.clock.until(node.take('test', { caller }));
      await node.clock.advance(1);
    }
    return quota;
  })();
  t.match(last, { allowed: false, limit: 30, remaining: 0 });
  t.ok((last?.retryAfterSeconds ?? 0) > 0 && (last?.retryAfterSeconds ?? 9) <= 2);
  const [asks, charged, refused] = await Promise.all([
    node.shown('skein_quota_asks_total', 'test'),
    node.shown('skein_quota_charged_total', 'test'),
    node.shown('skein_quota_refused_total', 'test'),
  ]);
  t.equal(charged, 32, '30, and one in every two seconds');
  t.equal(charged + refused, 6_000);
  t.ok(asks <= 40, `${asks} asks`);
});

t.test('when a bucket moves to another node, it is as empty there as it was', async t => {
  const [one, two] = await quotaNodes(t, 2, { read: { limit: 60, windowMs: 60_000 } });
  assert.ok(one !== undefined && two !== undefined);
  t.equal(await burst(one, 100), 60);
  await one.clock.until(one.placement.release(0));
  await two.placement.take(0);
  await one.clock.advance(3_000);
  t.equal(await burst(one, 100), 3);
  t.equal(await burst(two, 100), 0);
});

t.test('without an owner, products go on by the whole rate on each node, guesses by a quarter', async t => {
  const nodes = await quotaNodes(t, 2);
  const [one, two] = nodes;
  assert.ok(one !== undefined && two !== undefined);
  const { clock } = one;
  await clock.until(one.placement.release(0));
  const body = { email: 'ada@example.com' };
  const before = clock.monotonic();
  const charged = await clock.until(
    Promise.all(
      nodes.map(async node => ({
        messages: allowed(
          await Promise.all(
            Array.from({ length: 90 }, (_, i) =>
              node.take('message', { caller, project, params: { threadId: `thread_${i}` } as never }),
            ),
          ),
        ),
        logins: allowed(
          await Promise.all([1, 2, 3, 4, 5].map(() => node.take('auth', { body: body as never }))),
        ),
      })),
    ),
  );
  // Messages first, then logins: each asks for one bucket after the other, and waits 250 ms for each.
  t.ok(clock.monotonic() - before <= 1_100, 'nobody waits for long');
  t.strictSame(charged, Array(2).fill({ messages: 90, logins: 2 }));
  t.ok(one.takesAtOnce('message', { caller, project, params: { threadId: 'thread_1' } as never }));
  t.ok((await one.shown('skein_quota_asks_unanswered_total', 'messageProject')) > 0);

  await two.placement.take(0);
  await clock.advance(10_000);
  t.match(await clock.until(one.take('auth', { body: body as never })), { allowed: true, limit: 5 });
});

t.test(
  'a request that two buckets limit is charged to both or to none, and shows the one with less',
  async t => {
    const [node] = await quotaNodes(t, 1, {
      messageProject: { limit: 8, windowMs: 1_000 },
      messageThread: { limit: 5, windowMs: 1_000 },
    });
    assert.ok(node !== undefined);
    const { clock } = node;
    const send = (threadId: string): Promise<Quota | undefined> =>
      clock.until(node.take('message', { caller, project, params: { threadId } as never }));
    t.match(await send('thread_1'), { allowed: true, limit: 5, remaining: 4 });
    for (let i = 0; i < 4; i++) await send('thread_1');
    const bucket = 'messageThread';
    t.match(await send('thread_1'), { allowed: false, limit: 5, remaining: 0, bucket, windowSeconds: 1 });
    for (let i = 0; i < 20; i++) await send('thread_1');
    t.match(
      await send('thread_2'),
      { allowed: true, limit: 8, remaining: 2 },
      'refused ones cost the project nothing',
    );
    await send('thread_2');
    await send('thread_2');
    t.match(await send('thread_3'), { allowed: false, limit: 8 });
    await clock.advance(125);
    t.match(await send('thread_3'), { allowed: true }, 'and refused ones cost the thread nothing');
    t.match(await send('thread_4'), { allowed: false, limit: 8, retryAfterSeconds: 0.125 });
  },
);

t.test('a thread takes a burst of 25 and then 5 a second, in the sandbox as well', async t => {
  const [node] = await quotaNodes(t, 1, { messageProject: { limit: 1_000, windowMs: 1_000 } });
  assert.ok(node !== undefined);
  const { clock } = node;
  for (const kind of ['production', 'sandbox'] as const) {
    const about = { project: scope(kind), params: { threadId: `thread of ${kind}` } as never };
    const by: KeyCaller = { ...live, environmentKind: kind };
    const send = () => clock.until(node.take('message', { caller: by, ...about }));
    t.equal(allowed(await Promise.all(Array.from({ length: 30 }, send))), 25, kind);
    await clock.advance(1_000);
    t.equal(allowed(await Promise.all(Array.from({ length: 30 }, send))), 5, kind);
  }
});

t.test('all credentials of a project share one bucket beside their own', async t => {
  for (const rate of ['read', 'write', 'run', 'test'] as const) {
    const rates = {
      [rate]: { limit: 10, windowMs: 60_000 },
      [`${rate}Project`]: { limit: 25, windowMs: 60_000 },
    };
    const [node] = await quotaNodes(t, 1, rates);
    assert.ok(node !== undefined);
    const { clock } = node;
    const take = (by: Caller, about?: ProjectScope) =>
      clock.until(node.take(rate, { caller: by, ...(about === undefined ? {} : { project: about }) }));
    const createKey = (n: number): KeyCaller => ({ ...live, apiKeyId: `key_${n}` });
    const asked = Array.from({ length: 40 }, (_, i) => take(createKey(i % 20)));
    t.equal(allowed(await Promise.all(asked)), 25, '20 keys have no more together than the project');
    t.match(await take(createKey(21)), { allowed: false, limit: 25, remaining: 0 });
    const own = scope('production', live.projectId);
    t.match(await take(user('usr_ada'), own), { allowed: false, limit: 25 }, 'nor has a user there');
    t.match(await take(user('usr_ada'), scope('production', 'prj_other')), {
      allowed: true,
      limit: 10,
      remaining: 9,
    });
    t.match(
      await take({ ...live, apiKeyId: 'key_of_other', projectId: 'prj_other' }),
      { allowed: true, limit: 10 },
      'another project has its own',
    );
    await clock.advance(2_400);
    t.match(
      await take(createKey(22)),
      { allowed: true, limit: 25, remaining: 0 },
      'the one with less left is shown',
    );
    t.equal(await node.shown('skein_quota_charged_total', rate), 28, 'what is refused is charged to none');
  }
});

t.test('with tokens of both at hand a request waits for neither', async t => {
  const [, node] = await quotaNodes(t, 2, perSecond(100));
  assert.ok(node !== undefined);
  await burst(node, 1);
  const asks = await node.shown('skein_quota_asks_total', 'readProject');
  t.ok(node.takesAtOnce('read', { caller }));
  t.equal(await node.shown('skein_quota_asks_total', 'readProject'), asks);
});

t.test('whose bucket it is', async t => {
  const [node] = await quotaNodes(t, 1);
  assert.ok(node !== undefined);
  const { clock } = node;
  /** Charges both; whether they share a bucket. */
  const shared = async (
    rate: Parameters<QuotaNode['take']>[0],
    a: Parameters<QuotaNode['take']>[1],
    b: Parameters<QuotaNode['take']>[1],
  ): Promise<boolean> => {
    await clock.advance(300_000);
    const first = await clock.until(node.take(rate, a));
    const second = await clock.until(node.take(rate, b));
    return (second?.remaining ?? 0) < (first?.remaining ?? 0);
  };
  const ada: UserCaller = user('usr_ada');
  const params = (threadId: string) => ({ params: { threadId } as never });

  t.ok(
    await shared('read', { caller: ada }, { caller: { ...ada, sessionId: 'ses_2' } }),
    'sessions of a user',
  );
  t.notOk(await shared('read', { caller: live }, { caller: { ...live, apiKeyId: 'key_2' } }), 'keys');
  t.notOk(await shared('read', { caller: live }, { caller: ada }));
  t.ok(await shared('read', { address: '192.0.2.1' }, { address: '192.0.2.1' }), 'nobody: the address');
  t.notOk(await shared('read', { address: '192.0.2.1' }, { address: '192.0.2.2' }));
  t.ok(
    await shared('auth', { address: '2001:db8:0:1:2:3:4:5' }, { address: '2001:db8:0:1::9' }),
    'one network',
  );
  t.notOk(await shared('auth', { address: '2001:db8:0:1::9' }, { address: '2001:db8:0:2::9' }));

  const auth = (address: string, email: string) => ({ address, body: { email } as never });
  t.ok(
    await shared('auth', auth('1.1.1.1', 'Ada@Example.com '), auth('1.1.1.1', 'ada@example.com')),
    'e-mail',
  );
  t.notOk(
    await shared('auth', auth('1.1.1.1', 'ada@example.com'), auth('2.2.2.2', 'ada@example.com')),
    'nobody is locked out from elsewhere',
  );
  t.notOk(await shared('auth', auth('1.1.1.1', 'ada@example.com'), auth('2.2.2.2', 'bob@example.com')));
  const mailing = (address: string) => ({ address, caller: { ...ada, email: 'ada@example.com' } });
  t.notOk(await shared('auth', auth('1.1.1.1', 'ada@example.com'), mailing('1.1.1.1')), 'of the user alone');
  t.ok(await shared('auth', mailing('1.1.1.1'), mailing('1.1.1.1')));

  t.ok(await shared('message', { project, ...params('thread_1') }, { project, ...params('thread_1') }));
  const other = scope('production', 'prj_2');
  t.notOk(
    await shared('message', { project, ...params('thread_1') }, { project: other, ...params('thread_1') }),
    'nobody uses up what is another project’s',
  );
  const inbound = (body: object) => ({
    project,
    params: { channelId: 'ch_1' } as never,
    body: body as never,
  });
  t.ok(
    await shared(
      'message',
      inbound({ externalParticipantRef: 'x' }),
      inbound({ externalParticipantRef: 'x' }),
    ),
  );
  t.match(
    await clock.until(node.take('receipt', { ...inbound({ messageId: 'msg_1' }), caller: live })),
    { limit: 400 },
    'receipts are in no message’s way',
  );
});

t.test('a sandbox has a quarter', async t => {
  const [node] = await quotaNodes(t, 1);
  assert.ok(node !== undefined);
  const { clock } = node;
  const test: KeyCaller = { ...live, environmentKind: 'sandbox' };
  const getLimit = async (...asked: Parameters<QuotaNode['take']>) => {
    const quota = await clock.until(node.take(...asked));
    return quota?.limit;
  };
  t.strictSame(
    [
      await getLimit('read', { caller: test }),
      await getLimit('write', { caller: test }),
      await getLimit('run', { caller: test }),
      await getLimit('test', { caller: test }),
      await getLimit('message', { caller: test, project: scope('sandbox') }),
      await getLimit('receipt', { caller: test, project: scope('sandbox') }),
      await getLimit('read', { caller: user('usr_ada'), project: scope('sandbox') }),
      await getLimit('message', { caller: user('usr_ada'), project: scope('sandbox', 'prj_2') }),
    ],
    [300, 150, 30, 8, 25, 100, 1_200, 25],
  );
});

t.test('more than a bucket can hold do not wait for it', async t => {
  const [, node] = await quotaNodes(t, 2, perSecond(7));
  assert.ok(node !== undefined);
  for (let i = 0; i < 7; i++) t.notOk(node.takesAtOnce('read', { caller }));
  t.ok(node.takesAtOnce('read', { caller }));
  t.match(await node.take('read', { caller }), { allowed: false });
  await node.clock.advance(1);
});
