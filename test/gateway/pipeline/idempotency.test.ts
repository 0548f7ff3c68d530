/** Idempotency-Key over HTTP, on the real table. */
import t, { type Test } from 'tap';
import type { Call } from '../../../gateway/pipeline/handler.ts';
import { canonicalJson, createMark } from '../../../gateway/pipeline/idempotency.ts';
import { ServiceError } from '../../../protocol/errors.ts';
import { type Clock, systemClock } from '../../../runtime/time/clock.ts';
import type { Database } from '../../../storage/database/database.ts';
import { claimMs, IdempotencyKeys } from '../../../storage/idempotency/idempotency-keys.ts';
import { idempotencyKeptMs } from '../../../storage/writes/events-and-answers.ts';
import { startTestDatabase } from '../../support/database.ts';
import { gate } from '../http/http-fixture.ts';
import {
  otherProjectId,
  production,
  projectId,
  sandbox,
  startRest,
  type TestHandlers,
} from '../rest/rest-fixture.ts';

const { database } = await startTestDatabase(t);
const note = { projectId, text: 'hello' };
const as = 'writer';

/** The present, moved by hand. */
class ShiftedClock implements Clock {
  shiftMs = 0;
  now = (): number => Date.now() + this.shiftMs;
  monotonic = systemClock.monotonic;
  after = systemClock.after.bind(systemClock);
}

/** A server on an empty table; the handlers count their calls. */
async function setUp(t: Test, given: Partial<TestHandlers> = {}, db: Pick<Database, 'query'> = database) {
  await database.query('truncate idempotency_keys');
  const clock = new ShiftedClock();
  let runs = 0;
  const rest = await startRest(
    t,
    {
      createNote: () => ({ body: { n: ++runs } }),
      createSecret: () => ({ body: { n: ++runs, secret: 'whsec_1' } }),
      createWorkspace: () => ({ status: 201, body: { n: ++runs } }),
      ...given,
    },
    { keys: new IdempotencyKeys(db, clock), clock },
  );
  const post = (key: string, body: unknown = note, path = '/v1/notes', caller = as) =>
    rest.ask('POST', path, { as: caller, body, headers: { 'Idempotency-Key': key } });
  return { ...rest, clock, post, runs: () => runs };
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

t.test('the same key for something else is a conflict', async t => {
  const { post, runs } = await setUp(t);
  await post('k');
  const other = await post('k', { ...note, text: 'other' });
  t.equal(other.status, 409);
  t.equal(other.json?.error, 'svc/runtime/idempotency_conflict');
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

t.test('of many at once exactly one runs', async t => {
  const proceed = gate();
  let runs = 0;
  const { post } = await setUp(t, {
    createNote: async () => {
      runs++;
      await proceed.opened;
      return { body: { n: runs } };
    },
  });
  const errors: (string | undefined)[] = [];
  const requests = Array.from({ length: 12 }, async () => {
    const answer = await post('k');
    errors.push(answer.json?.error);
    // The one that runs is the last to be answered.
    if (errors.length === 11) proceed.open();
    return answer.status;
  });
  const statuses = await Promise.all(requests);
  t.same(statuses.sort(), [201, ...Array<number>(11).fill(409)]);
  t.same(new Set(errors), new Set(['svc/runtime/idempotency_conflict', undefined]), 'in progress');
  t.equal(runs, 1);
  t.equal((await post('k')).status, 201, 'and when it is done, it is repeated');
});

t.test('refusals are kept, failures are not', async t => {
  let error: Error = new ServiceError('svc/runtime/conflict', { details: { n: 1 } });
  let runs = 0;
  const { post } = await setUp(t, {
    createNote: () => {
      runs++;
      throw error;
    },
  });
  const first = await post('k');
  error = new ServiceError('svc/runtime/not_found');
  const again = await post('k');
  t.same([first.status, again.status], [409, 409]);
  t.equal(again.text, first.text, 'to the byte');
  t.equal(runs, 1);
  for (const failure of [
    new Error('by design'),
    new ServiceError('svc/runtime/unavailable'),
    new ServiceError('svc/rate_limit/exceeded'),
  ]) {
    error = failure;
    await post('failing');
    await post('failing');
  }
  t.equal(runs, 7, 'each was tried again');
  error = new ServiceError('svc/runtime/not_found');
  t.equal((await post('failing')).status, 404);
});

t.test('what fails before the handler leaves the key alone', async t => {
  const { post, runs } = await setUp(t);
  t.equal((await post('k', { ...note, extra: 1 })).status, 422);
  t.equal((await post('k', { ...note, projectId: otherProjectId })).status, 404);
  t.equal((await post('k')).status, 201);
  t.equal(runs(), 1);
});

t.test('a key is kept for a day, a claim that nobody settles for two minutes', async t => {
  const proceed = gate();
  let hangs = true;
  const { post, clock, runs } = await setUp(t, {
    createSecret: async () => {
      if (hangs) await proceed.opened;
      return { body: { n: 100 } };
    },
  });
  await post('k');
  clock.shiftMs = idempotencyKeptMs - 60_000;
  t.equal((await post('k')).json?.n, 1);
  clock.shiftMs = idempotencyKeptMs + 1_000;
  t.equal((await post('k')).json?.n, 2, 'as good as new');
  t.equal(runs(), 2);

  const crashed = post('c', note, '/v1/secrets');
  let held: readonly object[] = [];
  while (held.length === 0) held = await database.query('select from idempotency_keys where status is null');
  t.equal((await post('c', note, '/v1/secrets')).status, 409);
  clock.shiftMs += claimMs + 1_000;
  hangs = false;
  t.equal((await post('c', note, '/v1/secrets')).status, 201, 'taken over');
  proceed.open();
  await crashed;
  const rows = await database.query<{ n: number }>(
    "select count(*)::int as n from idempotency_keys where status = 201 and body::text like '\"%'",
  );
  t.equal(rows[0]?.n, 1, 'the late one has not overwritten it');
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

t.test('a kept answer is given to whoever may do the operation now', async t => {
  let role: 'developer' | 'viewer' | undefined = 'developer';
  let runs = 0;
  const { ask } = await startRest(
    t,
    {
      rotateSecret: async call => {
        await call.authoriseScope(projectId, production);
        return { body: { n: ++runs } };
      },
    },
    {
      keys: new IdempotencyKeys(database, systemClock),
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
        workspaceRole: () => Promise.resolve(undefined),
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

/** Does what an actor does: keeps the key and the answer in one commit, and is refused when the key is taken. */
function actorLike(decide: (call: Call) => { n: number }) {
  return async (call: Call) => {
    const { keyHash, fingerprint } = call.idempotency ?? {
      keyHash: Buffer.alloc(0),
      fingerprint: Buffer.alloc(0),
    };
    const json = JSON.stringify(decide(call));
    const rows = await database.query(
      `insert into idempotency_keys (key_hash, fingerprint, status, body, created_at, expires_at) values ($1, $2, 201, $3, $4, $5) on conflict do nothing returning key_hash`,
      [keyHash, fingerprint, json, new Date(call.now), new Date(call.now + idempotencyKeptMs)],
    );
    if (rows.length === 0) throw new ServiceError('svc/runtime/idempotency_conflict');
    return { json };
  };
}
const messages = '/v1/threads/thread_1/messages';

t.test('an operation whose actor keeps the key is asked first, and looked up when it refuses', async t => {
  let n = 0;
  let archived = false;
  const { post } = await setUp(t, {
    createMessage: actorLike(() => {
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
  t.equal(
    (await post('k', { ...note, text: 'x' }, messages)).json?.error,
    'svc/runtime/idempotency_conflict',
  );
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
      return actorLike(() => ({ n: 1 }))(call);
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
    // Twice: nor does the refusal, which is kept, show what it is not about.
    for (const _ of [1, 2])
      t.match(await post('order-1', note, messages, caller), { status, json: { error } });
  }
  gone = true;
  t.equal((await post('order-1', note, messages, 'owner')).status, 404, 'and what is gone is gone');
  gone = false;
  t.equal((await post('order-1', note, messages, 'owner')).text, first.text);
  const named = { ...note, environmentId: production };
  t.match(await post('order-1', named, messages, 'owner'), {
    status: 409,
    json: { error: 'svc/runtime/idempotency_conflict' },
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
      const n = ++runs;
      begun.open();
      if (n === 1) await proceed.opened;
      return { body: { n } };
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
  const { ask } = await setUp(t, { createPublicNote: () => ({ body: { n: ++n } }) });
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
  const decide = actorLike(() => {
    asked++;
    if (losses-- > 0) throw lost;
    return { n: asked };
  });
  let answersLost = 0;
  const { post } = await setUp(t, {
    createMessage: async call => {
      const answer = await decide(call);
      if (answersLost-- > 0) throw lost;
      return answer;
    },
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
  const { post, clock } = await setUp(t, {
    createMessage: actorLike(() => {
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
  t.equal(again.text, first.text, 'to the byte');
  t.equal(again.headers.get('idempotent-replayed'), 'true');
  t.equal(
    (await post('k', { ...note, text: 'x' }, messages)).json?.error,
    'svc/runtime/idempotency_conflict',
    'and the key is used up',
  );
  clock.shiftMs = idempotencyKeptMs + 1_000;
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
  const { post, clock } = await setUp(t, {
    createMessage: actorLike(() => {
      if (refusing) throw new ServiceError('svc/runtime/conflict');
      return { n: 1 };
    }),
  });
  await post('k', note, messages);
  clock.shiftMs = idempotencyKeptMs + 1_000;
  refusing = true;
  const refused = await post('k', note, messages);
  refusing = false;
  const again = await post('k', note, messages);
  t.equal(again.text, refused.text);
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
      createMessage: actorLike(() => {
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
    createMessage: actorLike(() => {
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
  const { post, clock } = await setUp(t, { createMessage: actorLike(() => ({ n: ++n })) });
  await post('k', note, messages);
  clock.shiftMs = idempotencyKeptMs + 1_000;
  const answer = await post('k', { ...note, text: 'other' }, messages);
  t.equal(answer.status, 201);
  t.equal(answer.headers.get('idempotent-replayed'), null);
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
  let refusing = false;
  const { post, runs } = await setUp(
    t,
    {
      createMessage: actorLike(() => {
        if (refusing) throw new ServiceError('svc/runtime/conflict');
        return { n: 1 };
      }),
    },
    flaky,
  );
  failing = 'idempotency.keep';
  t.equal((await post('k')).status, 201, 'what was done was done');
  t.equal((await post('k')).status, 409, 'and the key stays in progress until it lapses');
  t.equal(runs(), 1);
  failing = 'idempotency.find';
  refusing = true;
  t.equal((await post('m', note, messages)).json?.error, 'svc/runtime/conflict', 'the refusal itself');
  failing = 'idempotency.refusal';
  t.equal((await post('m', note, messages)).json?.error, 'svc/runtime/conflict', 'kept or not');
  failing = 'idempotency.claim';
  t.equal((await post('n')).status, 500, 'without a claim nothing is begun');
  t.equal(runs(), 1);
  t.equal(failed, 4);
});

t.test('the fingerprint is of the value, not of how it is written', t => {
  const a = canonicalJson({ b: [1, { d: 'x', c: null }], a: undefined, '10': true, '9': 1.5e3 });
  t.equal(a, '{"10":true,"9":1500,"a":null,"b":[1,{"c":null,"d":"x"}]}');
  t.equal(canonicalJson(undefined), 'null');
  const of = (scope: string[], operation: string, key: string, path: string, body: unknown) =>
    createMark(scope, operation, key, path, body);
  const base = of(['p', 'e'], 'op', 'k', '/path', { a: 1 });
  t.equal(base.keyHash.length, 32);
  t.equal(base.fingerprint.length, 32);
  for (const other of [
    of(['p', 'e2'], 'op', 'k', '/path', { a: 1 }),
    of(['p'], 'e', 'op\u0001k', '/path', { a: 1 }),
    of(['p', 'e'], 'op', 'k2', '/path', { a: 1 }),
    of(['p', 'e'], 'op2', 'k', '/path', { a: 1 }),
  ]) {
    t.notOk(other.keyHash.equals(base.keyHash));
    t.ok(other.fingerprint.equals(base.fingerprint));
  }
  t.notOk(of([], '', '', '/other', { a: 1 }).fingerprint.equals(base.fingerprint));
  t.notOk(of([], '', '', '/path', { a: '1' }).fingerprint.equals(base.fingerprint));
  t.end();
});
