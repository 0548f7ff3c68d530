/** Idempotency-Key over HTTP, on the real table: the work of a handler is done once, whether a transaction or an actor's commit does it. */
import { createHash } from 'node:crypto';
import t, { type Test } from 'tap';
import type { Answer, Call } from '../../../gateway/pipeline/handler.ts';
import { canonicalJson, commitKey, Idempotency } from '../../../gateway/pipeline/idempotency.ts';
import { ServiceError } from '../../../protocol/errors.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { type Clock, systemClock } from '../../../runtime/time/clock.ts';
import type { Database } from '../../../storage/database/database.ts';
import { IdempotencyKeys } from '../../../storage/idempotency/idempotency-keys.ts';
import { transactOnce } from '../../../storage/idempotency/once.ts';
import { KeyRing } from '../../../storage/secrets/key-ring.ts';
import { KeyedHash } from '../../../storage/secrets/keyed-hash.ts';
import { freshKey } from '../../support/accounts.ts';
import { startTestDatabase } from '../../support/database.ts';
import { gate } from '../http/http-fixture.ts';
import {
  hash,
  otherProjectId,
  production,
  projectId,
  sandbox,
  sealer,
  startRest,
  type TestHandlers,
} from '../rest/rest-fixture.ts';

const { database } = await startTestDatabase(t);
const note = { projectId, text: 'hello' };
const as = 'writer';
const conflict = 'svc/runtime/idempotency_conflict';
const messages = '/v1/threads/thread_1/messages';

/** A node whose clock is wrong. */
const skewed: Clock = {
  now: () => Date.now() + 30 * 86_400_000,
  monotonic: systemClock.monotonic,
  after: systemClock.after.bind(systemClock),
};

/** Does the work in a transaction of storage. */
function inTransaction(work: (call: Call) => object | Promise<object>): (call: Call) => Promise<Answer> {
  return async call => ({
    body: await call.once(key => transactOnce(database, key, () => work(call))),
  });
}

/**
 * Does what an actor does: keeps the key and the reply in one commit, and is refused when the key is taken.
 *
 * @param afterCommit may throw what happens to the reply
 */
function inActor(
  decide: (call: Call) => { n: number },
  afterCommit: () => void = () => undefined,
): (call: Call) => Promise<Answer> {
  return async call => ({
    json: await call.onceAsText(async key => {
      const { keyHash = '', fingerprint = '' } = commitKey(key).key ?? {};
      const json = JSON.stringify(decide(call));
      const rows = await database.query(
        `insert into idempotency_keys (key_hash, fingerprint, status, body, created_at, expires_at)
         values (decode($1, 'base64'), decode($2, 'base64'), 201, $3, now(), now() + interval '24 hours')
         on conflict do nothing returning key_hash`,
        [keyHash, fingerprint, json],
      );
      if (rows.length === 0) throw new ServiceError(conflict);
      afterCommit();
      return json;
    }),
  });
}

/** A server on an empty table; the handlers count their calls. */
async function setUp(t: Test, given: Partial<TestHandlers> = {}, db: Pick<Database, 'query'> = database) {
  await database.query('truncate idempotency_keys');
  let runs = 0;
  const count = inTransaction(() => ({ n: ++runs }));
  const rest = await startRest(
    t,
    {
      createNote: count,
      createSecret: inTransaction(() => ({ n: ++runs, secret: 'whsec_1' })),
      createWorkspace: async call => ({ ...(await count(call)), status: 201 }),
      ...given,
    },
    { keys: new IdempotencyKeys(db), clock: skewed },
  );
  const post = (key: string, body: unknown = note, path = '/v1/notes', caller = as) =>
    rest.ask('POST', path, { as: caller, body, headers: { 'Idempotency-Key': key } });
  return { ...rest, post, runs: () => runs };
}

/** A day and more passes for every key. */
async function expireAll(): Promise<void> {
  await database.query(`update idempotency_keys set expires_at = now() - interval '1 second'`);
}

t.test('a repetition gets the first answer and does nothing', async t => {
  const { post, runs } = await setUp(t);
  const first = await post('k');
  t.equal(first.status, 201);
  t.equal(first.headers.get('idempotent-replayed'), null);
  const again = await post('k', { text: 'hello', projectId });
  t.equal(again.status, 201);
  t.equal(again.text, first.text);
  t.equal(again.headers.get('idempotent-replayed'), 'true');
  t.not(
    again.headers.get('x-request-id'),
    first.headers.get('x-request-id'),
    'yet it is a request of its own',
  );
  t.equal(runs(), 1);
});

t.test('a key belongs to its operation, project, environment and user', async t => {
  const { post, runs } = await setUp(t);
  await post('k');
  t.equal((await post('k', note, '/v1/secrets')).status, 201, 'another operation');
  t.equal(
    (await post('k', note, '/v1/notes', 'owner')).json?.n,
    1,
    'the same project and environment: anybody’s',
  );
  t.equal((await post('k', { ...note, environmentId: production }, '/v1/notes', 'owner')).json?.n, 3);
  t.equal((await post('k', { ...note, projectId: otherProjectId }, '/v1/notes', 'owner')).json?.n, 4);
  t.equal((await post('k', undefined, '/v1/workspaces', 'owner')).json?.n, 5);
  t.equal((await post('k', undefined, '/v1/workspaces', 'developer')).json?.n, 6, 'another user');
  t.equal((await post('k', undefined, '/v1/workspaces', 'owner')).json?.n, 5);
  t.equal(runs(), 6);
});

t.test('what a key may look like', async t => {
  const { ask, post, runs } = await setUp(t);
  for (const key of ['a b', 'x'.repeat(256), 'aéb', 'a, b']) {
    t.equal((await post(key)).status, 400, JSON.stringify(key.slice(0, 10)));
  }
  t.equal(runs(), 0);
  t.equal((await post('~!"'.repeat(85))).status, 201, '255 visible characters');
  const without = await ask('POST', '/v1/threads/thread_1/messages', { as, body: note });
  t.equal(without.status, 400);
  t.equal(without.json?.error, 'svc/runtime/missing_idempotency_key');
  const malformed = await post('a b', note, '/v1/threads/thread_1/messages');
  t.equal(malformed.json?.error, 'svc/runtime/missing_idempotency_key');
  t.equal((await ask('POST', '/v1/notes', { as, body: note })).headers.get('idempotent-replayed'), null);
});

t.test('a key is in progress for as long as its first request lives, and no longer', async t => {
  const begun = gate();
  let runs = 0;
  const { post } = await setUp(t, {
    createNote: inTransaction(async () => {
      if (++runs > 1) return { n: runs };
      begun.open();
      // The connection is lost before the work is done.
      await new Promise(() => undefined);
      return {};
    }),
  });
  void post('k').catch(() => undefined);
  await begun.opened;
  t.match((await post('k')).json, { details: { reason: 'in_progress' } });
  await database.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where state = 'idle in transaction'`,
  );
  t.match(await post('k'), { status: 201, json: { n: 2 } }, 'at once');
});

for (const [where, path, inCommit] of [
  ['a transaction', '/v1/notes', inTransaction],
  ['an actor', messages, inActor],
] as const) {
  t.test(`what ${where} has committed is found after a failure of anything that follows`, async t => {
    let runs = 0;
    let commits = 0;
    let failure: Error | undefined;
    const done = inCommit(() => ({ n: ++runs }));
    const fail = async (call: Call): Promise<Answer> => {
      const answer = await done(call);
      if (failure !== undefined) throw failure;
      return answer;
    };
    const { post } = await setUp(t, { createNote: fail, createMessage: fail });
    for (const each of [new ServiceError('svc/runtime/unavailable'), new Error('by design')]) {
      failure = each;
      const key = each.name;
      const before = runs;
      t.ok((await post(key, note, path)).status >= 500);
      failure = undefined;
      const again = await post(key, note, path);
      t.match(again, { status: 201, json: { n: before + 1 } });
      t.equal(again.headers.get('idempotent-replayed'), 'true');
      const kept = await database.query('select 1 from idempotency_keys');
      t.equal(kept.length, ++commits, 'and not done again');
    }
  });
}

t.test(
  'work with two commits: the second is done by the repetition, where the first request got no further',
  async t => {
    const made: string[] = [];
    let isLost = true;
    const { post } = await setUp(t, {
      createNote: async call => {
        const work = (part: string) => async () => ({ part: `${part} ${made.push(part)}` });
        const first = await call.once(key => transactOnce(database, key, work('first')));
        if (isLost) throw new ServiceError('svc/runtime/unavailable');
        const second = await call.once(key => transactOnce(database, key, work('second')), 'second');
        return { body: { first, second } };
      },
    });
    t.equal((await post('k')).status, 503);
    isLost = false;
    const answer = await post('k');
    t.match(answer.json, { first: { part: 'first 1' }, second: { part: 'second 2' } });
    t.equal((await post('k')).text, answer.text);
    t.same(made, ['first', 'second']);
  },
);

t.test('refusals of the work are kept, failures are not', async t => {
  let error: Error = new ServiceError('svc/runtime/conflict', { message: 'No.', details: { n: 1 } });
  let runs = 0;
  const { post } = await setUp(t, {
    createNote: inTransaction(() => {
      runs++;
      throw error;
    }),
  });
  const first = await post('k');
  error = new ServiceError('svc/agent_runs/suggestion_already_resolved');
  const again = await post('k');
  const { error: code, message, details } = first.json ?? {};
  t.same([first.status, code, message, details], [409, 'svc/runtime/conflict', 'No.', { n: 1 }]);
  t.match(again, { status: 409, json: { error: code, message, details } });
  t.equal(again.headers.get('idempotent-replayed'), 'true');
  t.equal(again.json?.requestId, again.headers.get('x-request-id'));
  for (const failure of [
    new Error('by design'),
    new ServiceError('svc/runtime/unavailable'),
    new ServiceError('svc/rate_limit/exceeded'),
    new ServiceError('svc/runtime/not_found'),
  ]) {
    error = failure;
    const before = runs;
    await post('failing');
    await post('failing');
    t.equal(runs, before + 2, 'each was tried again');
  }
  error = new ServiceError('svc/runtime/conflict');
  t.equal((await post('failing')).status, 409);
});

t.test('a key is kept for a day of the database, whatever the clock of a node says', async t => {
  const { post, runs } = await setUp(t);
  await post('k');
  t.equal((await post('k')).json?.n, 1, 'this node is a month ahead');
  const [row] = await database.query<{ hours: number }>(
    `select extract(epoch from expires_at - now()) / 3600 as hours from idempotency_keys`,
  );
  t.equal(Math.round(Number(row?.hours)), 24);
  await expireAll();
  t.equal((await post('k')).json?.n, 2, 'as good as new');
  t.equal(runs(), 2);
});

t.test('a kept answer is given to whoever may do the operation now', async t => {
  let role: 'developer' | 'viewer' | undefined = 'developer';
  let runs = 0;
  const { ask } = await startRest(
    t,
    {
      rotateSecret: async call => {
        await call.authoriseScope(projectId, production);
        return inTransaction(() => ({ n: ++runs }))(call);
      },
    },
    {
      keys: new IdempotencyKeys(database),
      tenancy: {
        project: (_, asked) =>
          role && {
            projectId: asked,
            workspaceId: 'ws_one',
            workspaceRole: undefined,
            projectRole: undefined,
            studioRole: role,
            consoleRole: undefined,
            environments: [{ environmentId: production, kind: 'production' }],
          },
        workspace: () => Promise.resolve(undefined),
      },
    },
  );
  const rotate = () =>
    ask('POST', '/v1/secrets/note_1/rotate', { as: 'developer', headers: { 'Idempotency-Key': 'r' } });
  t.equal((await rotate()).json?.n, 1);
  const again = await rotate();
  t.same([again.json?.n, again.headers.get('idempotent-replayed')], [1, 'true']);
  role = 'viewer';
  t.equal((await rotate()).status, 403);
  role = undefined;
  t.equal((await rotate()).status, 404);
  role = 'developer';
  t.equal((await rotate()).json?.n, 1);
  t.equal(runs, 1);
});

t.test('what fails before the handler leaves the key alone', async t => {
  const { post, runs } = await setUp(t);
  t.equal((await post('k', { ...note, extra: 1 })).status, 422);
  t.equal((await post('k', { ...note, projectId: otherProjectId })).status, 404);
  t.equal((await post('k')).status, 201);
  t.equal(runs(), 1);
});

t.test('a secret is shown again to whom it was shown, to nobody else of the project', async t => {
  const { post } = await setUp(t);
  t.equal((await post('k', note, '/v1/secrets')).json?.n, 1);
  t.equal((await post('k', note, '/v1/secrets')).json?.n, 1);
  t.equal((await post('k', note, '/v1/secrets', 'twin')).json?.n, 2, 'another key');
  t.equal((await post('k', note, '/v1/secrets', 'owner')).json?.n, 3);
  t.equal((await post('k', note, '/v1/secrets', 'developer')).json?.n, 4);
  t.equal((await post('k', note, '/v1/secrets', 'owner')).json?.n, 3);
});

t.test('an answer with a secret is kept sealed, and repeated in the clear', async t => {
  const { post } = await setUp(t);
  const first = await post('k', note, '/v1/secrets');
  t.match(first.text, /whsec_1/);
  const [row] = await database.query<{ body: string }>('select body from idempotency_keys');
  t.notMatch(row?.body, /whsec_1/);
  const again = await post('k', note, '/v1/secrets');
  t.equal(again.text, first.text);
  t.equal(again.headers.get('idempotent-replayed'), 'true');
});

t.test('an operation whose actor keeps the key is asked first, and looked up when it refuses', async t => {
  let n = 0;
  let archived = false;
  const { post } = await setUp(t, {
    createMessage: inActor(() => {
      if (archived) throw new ServiceError('svc/runtime/conflict');
      return { n: ++n };
    }),
  });
  const first = await post('k', note, messages);
  t.equal(first.json?.n, 1);
  const again = await post('k', note, messages);
  t.equal(again.status, 201);
  t.equal(again.text, first.text);
  t.equal(again.headers.get('idempotent-replayed'), 'true');
  t.equal((await post('k', { ...note, text: 'x' }, messages)).json?.error, conflict);
  t.equal((await post('k', note, '/v1/threads/thread_2/messages')).status, 409, 'the path counts');
  archived = true;
  t.equal((await post('k', note, messages)).text, first.text, 'whatever the refusal was for');
});

t.test('a key belongs to where its thread is found, and a kept answer to who may go there', async t => {
  let gone = false;
  const { post } = await setUp(t, {
    createMessage: async call => {
      // In production: a key is told so by the thread's actor, a user is asked for the right to it.
      if (call.caller?.type === 'user') await call.authoriseScope(projectId, production);
      else throw new ServiceError('svc/runtime/not_found');
      if (gone) throw new ServiceError('svc/runtime/not_found');
      return inActor(() => ({ n: 1 }))(call);
    },
  });
  const first = await post('order-1', note, messages, 'developer');
  t.match(first, { status: 201, json: { n: 1 } });
  const again = await post('order-1', note, messages, 'owner');
  t.same([again.text, again.headers.get('idempotent-replayed')], [first.text, 'true'], 'who may, gets it');
  for (const [caller, status, error] of [
    ['writer', 404, 'svc/runtime/not_found'],
    ['unverified', 403, 'svc/auth/email_not_verified'],
    ['viewer', 403, 'svc/auth/insufficient_scope'],
    ['nobody', 404, 'svc/runtime/not_found'],
  ] as const) {
    t.match(await post('order-1', note, messages, caller), { status, json: { error } });
  }
  gone = true;
  t.equal((await post('order-1', note, messages, 'owner')).status, 404, 'and what is gone is gone');
  gone = false;
  t.equal((await post('order-1', note, messages, 'owner')).text, first.text);
  const named = { ...note, environmentId: production };
  t.match(await post('order-1', named, messages, 'owner'), {
    status: 409,
    json: { error: conflict },
  });
});

t.test('a key belongs to where a user finds what is named by its id alone', async t => {
  const [inProduction, inSandbox] = ['note_1', 'note_2'];
  const begun = gate();
  const proceed = gate();
  let runs = 0;
  const { ask } = await setUp(t, {
    rotateSecret: async call => {
      await call.authoriseScope(projectId, call.params.noteId === inProduction ? production : sandbox);
      return inTransaction(async () => {
        const n = ++runs;
        begun.open();
        if (n === 1) await proceed.opened;
        return { n };
      })(call);
    },
  });
  const rotate = (noteId: string) =>
    ask('POST', `/v1/secrets/${noteId}/rotate`, { as: 'developer', headers: { 'Idempotency-Key': 'k' } });
  const first = rotate(inProduction);
  await begun.opened;
  t.equal((await rotate(inProduction)).status, 409, 'in progress');
  t.match(await rotate(inSandbox), { status: 200, json: { n: 2 } }, 'the other environment');
  proceed.open();
  t.match(await first, { status: 200, json: { n: 1 } });
  for (const [noteId, n] of [
    [inProduction, 1],
    [inSandbox, 2],
  ] as const) {
    const again = await rotate(noteId);
    t.same([again.status, again.json?.n, again.headers.get('idempotent-replayed')], [200, n, 'true']);
  }
  t.equal((await rotate('note_3')).status, 409, 'of each environment for one thing');
  t.equal(runs, 2);
});

t.test('a key sent without a credential belongs to whoever sends the same request', async t => {
  let n = 0;
  const { ask } = await setUp(t, { createPublicNote: inTransaction(() => ({ n: ++n })) });
  const send = (body: unknown) => ask('POST', '/v1/public', { body, headers: { 'Idempotency-Key': 'k' } });
  t.match(await send(note), { status: 201, json: { n: 1 } });
  t.match(await send({ ...note, text: 'of somebody else behind the same address' }), { status: 422 });
  t.match(await send({ ...note, text: 'of somebody else' }), { status: 201, json: { n: 2 } });
  t.match(await send(note), { status: 201, json: { n: 1 } });
});

t.test('when the actor’s node is lost before it answers, the actor is asked again', async t => {
  const lost = new ServiceError('svc/runtime/unavailable', { details: { reason: 'connection' } });
  let asked = 0;
  let losses = 1;
  let answersLost = 0;
  const { post } = await setUp(t, {
    createMessage: inActor(
      () => {
        asked++;
        if (losses-- > 0) throw lost;
        return { n: asked };
      },
      () => {
        if (answersLost-- > 0) throw lost;
      },
    ),
  });
  t.match(await post('before-the-commit', note, messages), { status: 201, json: { n: 2 } });

  answersLost = 1;
  const found = await post('after-the-commit', note, messages);
  t.match(found, { status: 201, json: { n: 3 } }, 'what was committed is found');
  t.equal(asked, 3, 'and not done again');

  losses = 5;
  t.equal((await post('for-good', note, messages)).status, 503);
  t.equal(asked, 5, 'and not for ever');
});

t.test('the refusal of an actor that keeps keys is kept like any other', async t => {
  let refusal: Error | undefined = new ServiceError('svc/runtime/conflict', { details: { n: 1 } });
  let runs = 0;
  const { post } = await setUp(t, {
    createMessage: inActor(() => {
      runs++;
      if (refusal !== undefined) throw refusal;
      return { n: runs };
    }),
  });
  const first = await post('k', note, messages);
  t.equal(first.json?.error, 'svc/runtime/conflict');
  t.equal(first.headers.get('idempotent-replayed'), null);
  refusal = undefined;
  const again = await post('k', note, messages);
  t.equal(again.status, 409);
  t.same([again.json?.error, again.json?.details], [first.json?.error, first.json?.details]);
  t.equal(again.headers.get('idempotent-replayed'), 'true');
  t.equal(
    (await post('k', { ...note, text: 'x' }, messages)).json?.error,
    conflict,
    'and the key is used up',
  );
  await expireAll();
  t.equal((await post('k', note, messages)).status, 201, 'for a day');

  for (const failure of [
    new Error('by design'),
    new ServiceError('svc/runtime/unavailable'),
    new ServiceError('svc/rate_limit/exceeded'),
  ]) {
    refusal = failure;
    const before = runs;
    await post('failing', note, messages);
    await post('failing', note, messages);
    t.equal(runs, before + 2, 'decided again');
  }
  refusal = undefined;
  t.equal((await post('failing', note, messages)).status, 201);
});

t.test('a refusal over an expired key is kept in its place', async t => {
  let refusing = false;
  const { post } = await setUp(t, {
    createMessage: inActor(() => {
      if (refusing) throw new ServiceError('svc/runtime/conflict');
      return { n: 1 };
    }),
  });
  await post('k', note, messages);
  await expireAll();
  refusing = true;
  const refused = await post('k', note, messages);
  refusing = false;
  const again = await post('k', note, messages);
  t.same([again.status, again.json?.error], [refused.status, refused.json?.error]);
  t.equal(again.headers.get('idempotent-replayed'), 'true');
});

t.test('a request that is refused while its twin is carried out gets the twin’s answer', async t => {
  const found = gate();
  const done = gate();
  const slow: Pick<Database, 'query'> = {
    query: async (text, values, name) => {
      if (name !== 'idempotency.refusal') return database.query(text, values, name);
      found.open();
      await done.opened;
      return database.query(text, values, name);
    },
  };
  let refusing = true;
  const { post } = await setUp(
    t,
    {
      createMessage: inActor(() => {
        if (refusing) throw new ServiceError('svc/runtime/conflict');
        return { n: 1 };
      }),
    },
    slow,
  );
  const refused = post('k', note, messages);
  await found.opened;
  refusing = false;
  const carriedOut = await post('k', note, messages);
  t.equal(carriedOut.status, 201);
  done.open();
  t.equal((await refused).text, carriedOut.text);
});

t.test('a rehearsal neither uses up a key nor is answered by one', async t => {
  let runs = 0;
  const { post } = await setUp(t, {
    createMessage: inActor(() => {
      if (++runs < 3) throw new ServiceError('svc/runtime/conflict');
      return { n: runs };
    }),
  });
  const rehearsal = `${messages}?dryRun=true`;
  t.equal((await post('k', note, rehearsal)).headers.get('idempotent-replayed'), null);
  t.equal((await post('k', note, rehearsal)).headers.get('idempotent-replayed'), null);
  t.equal((await post('k', note, messages)).json?.n, 3);
});

t.test('an expired key that was not removed yet blocks no request', async t => {
  let n = 0;
  const { post } = await setUp(t, { createMessage: inActor(() => ({ n: ++n })) });
  await post('k', note, messages);
  await expireAll();
  const answer = await post('k', { ...note, text: 'other' }, messages);
  t.equal(answer.status, 201);
  t.equal(answer.headers.get('idempotent-replayed'), null);
});

t.test('what is sent without a credential is in no parameter of a statement', async t => {
  const parameters: unknown[] = [];
  const noting: Pick<Database, 'query'> = {
    query: (text, values = [], name) => {
      parameters.push(...values);
      return database.query(text, values, name);
    },
  };
  let isRefused = true;
  const { ask } = await setUp(
    t,
    {
      createPublicNote: inTransaction(() => {
        if (isRefused) throw new ServiceError('svc/runtime/conflict');
        return { n: 1 };
      }),
    },
    noting,
  );
  const password = 'correct horse';
  const post = () =>
    ask('POST', '/v1/public', { body: { projectId, text: password }, headers: { 'Idempotency-Key': 'k' } });
  const refused = await post();
  t.equal(refused.status, 409);
  isRefused = false;
  const again = await post();
  t.same([again.status, again.headers.get('idempotent-replayed')], [409, 'true'], 'it is known again');
  t.ok(parameters.length >= 4, 'it was looked up and kept');
  t.notMatch(JSON.stringify(parameters), password);
});

t.test('when the database fails, the answer that there is stands', async t => {
  let failing = '';
  let failed = 0;
  const flaky: Pick<Database, 'query'> = {
    query: (text, values, name) => {
      if (name !== failing) return database.query(text, values, name);
      failed++;
      return Promise.reject(new Error('connection lost'));
    },
  };
  const refuse = inActor(() => {
    throw new ServiceError('svc/runtime/conflict');
  });
  const { post } = await setUp(t, { createMessage: refuse }, flaky);
  failing = 'idempotency.find';
  t.equal((await post('m', note, messages)).json?.error, 'svc/runtime/conflict', 'the refusal itself');
  failing = 'idempotency.refusal';
  t.equal((await post('m', note, messages)).json?.error, 'svc/runtime/conflict', 'kept or not');
  t.equal(failed, 2);
});

t.test('the fingerprint is of the value, not of how it is written', t => {
  const a = canonicalJson({ b: [1, { d: 'x', c: null }], a: undefined, '10': true, '9': 1.5e3 });
  t.equal(a, '{"10":true,"9":1500,"a":null,"b":[1,{"c":null,"d":"x"}]}');
  t.equal(canonicalJson(undefined), 'null');
  const idempotency = createIdempotency(hash);
  const mark = (names: string[], path: string, body: unknown) =>
    idempotency.createMark([], names, path, body);
  const base = mark(['p', 'e', 'op', 'k'], '/path', { a: 1 });
  t.equal(Buffer.from(base.keyHash, 'base64').length, 32);
  t.equal(Buffer.from(base.fingerprint, 'base64').length, 32);
  for (const names of [
    ['p', 'e2', 'op', 'k'],
    ['p', 'e', 'op\u0001k'],
    ['p', 'e', 'op', 'k2'],
    ['p', 'e', 'op2', 'k'],
    ['p', 'e', 'op', 'k', 'part'],
  ]) {
    const other = mark(names, '/path', { a: 1 });
    t.not(other.keyHash, base.keyHash);
    t.equal(other.fingerprint, base.fingerprint);
  }
  t.not(mark([], '/other', { a: 1 }).fingerprint, base.fingerprint);
  t.not(mark([], '/path', { a: '1' }).fingerprint, base.fingerprint);
  t.end();
});

function createIdempotency(hash: KeyedHash): Idempotency {
  return new Idempotency({ keys: new IdempotencyKeys(database), vault: sealer, hash, log: silentLog });
}

t.test('whoever has the rows cannot guess what was sent, and a rotation of keys changes no mark', t => {
  const [old, newer] = [freshKey('old'), freshKey('newer')];
  const marks = [old, `${newer},${old}`, newer].map(keys =>
    createIdempotency(new KeyedHash(new KeyRing(keys))).createMark(['p'], ['p', 'op', 'k'], '/path', {
      a: 1,
    }),
  );
  const [mark, afterRotation, ofOthers] = marks;
  t.same(afterRotation, mark);
  t.not(ofOthers?.keyHash, mark?.keyHash);
  t.not(ofOthers?.fingerprint, mark?.fingerprint);
  for (const algorithm of ['sha256', 'sha512-256']) {
    const guess = createHash(algorithm).update('/path\n{"a":1}').digest('base64');
    t.not(mark?.fingerprint, guess);
  }
  t.end();
});
