/** Tools, called over real sockets through a real pool, with rows of a real database. Only the waits between attempts are virtual. */
import t, { type Test } from 'tap';
import { findInputFault } from '../../../../actors/run/tools/input.ts';
import { HttpTools, type ToolServices } from '../../../../actors/run/tools/http-tools.ts';
import type { ToolCallRequest } from '../../../../actors/run/task-requests.ts';
import { silentLog } from '../../../../runtime/observability/log.ts';
import { PoolOverloaded, type OutboundQueue } from '../../../../runtime/pool/outbound-queue.ts';
import type { NewTool } from '../../../../storage/agents/tools.ts';
import { ToolCircuit } from '../../../../storage/agents/tool-calls.ts';
import type { TenantScope } from '../../../../storage/database/tenant-scope.ts';
import { newId } from '../../../../protocol/ids.ts';
import { verifyRequest, verifyService } from '../../../../protocol/signature.ts';
import { startTestDatabase } from '../../../support/database.ts';
import { OneOwnerPool } from '../../../support/one-owner-pool.ts';
import { answer, hasValidSignature, Receiver, type Received } from '../../../support/receiver.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';
import { agentRows } from '../agent-rows.ts';

const { database } = await startTestDatabase(t);
const rows = agentRows(database);
const random = { next: () => 0.5, bytes: (size: number) => new Uint8Array(size) };

const pool = new OneOwnerPool();
t.teardown(() => pool.drain());
await pool.ready();

async function receiverFor(t: Test): Promise<Receiver> {
  const receiver = await Receiver.start();
  t.teardown(() => receiver.stop());
  return receiver;
}

/** A tool, and what calls it. */
async function bench(
  fields: Partial<NewTool>,
  options: { tenant?: TenantScope; pool?: Pick<OutboundQueue, 'send'>; db?: ToolServices['db'] } = {},
) {
  const tenant = options.tenant ?? (await rows.tenant());
  const { tool, signingSecret } = await rows.tool(tenant, fields);
  const clock = new VirtualClock(Date.now());
  /** Sealed texts that were opened, or were to be. */
  const opened: string[] = [];
  const vault: ToolServices['vault'] = {
    open: (context, jwe) => {
      opened.push(jwe);
      return rows.vault.open(context, jwe);
    },
  };
  const services = { db: options.db ?? database, vault, clock, random, log: silentLog };
  const tools = new HttpTools({ ...services, pool: options.pool ?? pool.queue });
  /** The numbers of the attempts that were asked for. */
  const asked: number[] = [];
  return {
    tenant,
    toolId: tool.toolId,
    signingSecret,
    clock,
    tools,
    asked,
    opened,
    call(
      input: unknown = {},
      more: Partial<ToolCallRequest> = {},
      signal = new AbortController().signal,
      allowed = true,
    ) {
      const order: ToolCallRequest = {
        ...tenant,
        agentRunId: 'run_1',
        threadId: null,
        callId: 'run_1.1.1',
        toolId: tool.toolId,
        arguments: input,
        isApproved: false,
        attempt: 1,
        lost: false,
        beginBy: clock.now() + 5_000,
        attemptMs: 30_000,
        deadline: clock.now() + 120_000,
        ...more,
      };
      return tools.call(order, signal, number => {
        asked.push(number);
        return Promise.resolve(allowed);
      });
    },
    async row() {
      const [row] = await database.query<{ status: string; failures: number; probe_at: Date | null }>(
        'select status, failures, probe_at from tools where tool_id = $1',
        [tool.toolId],
      );
      return row;
    },
  };
}

/** Resolves when the call waits for its next attempt. */
async function untilWaiting(clock: VirtualClock): Promise<void> {
  while (clock.pending === 0) await clock.flush();
}

const json = (value: unknown, status = 200) =>
  answer(status, { 'content-type': 'application/json' }, JSON.stringify(value));

t.test('a POST: a signed JSON body, the headers of the tool, and an answer in JSON', async t => {
  const receiver = await receiverFor(t);
  receiver.behaviour = json({ ships: 'tomorrow' });
  const headers = { Authorization: 'Bearer secret-token', 'User-Agent': 'theirs' };
  const { call, signingSecret } = await bench({ url: receiver.url('/orders'), headers });
  const outcome = await call({ orderId: 'ü' });
  t.match(outcome, {
    callId: 'run_1.1.1',
    status: 'succeeded',
    httpStatus: 200,
    result: { ships: 'tomorrow' },
  });
  t.equal(outcome.error, null);
  const [received] = receiver.received;
  if (received === undefined) return t.fail('nothing came');
  t.match(received, {
    path: '/orders',
    body: '{"orderId":"ü"}',
    headers: {
      authorization: 'Bearer secret-token',
      'content-type': 'application/json',
      'idempotency-key': 'run_1.1.1',
      'user-agent': 'theirs',
      accept: 'application/json',
    },
  });
  t.ok(hasValidSignature(received, signingSecret));
});

/** Whether the whole request is as the signature says, but for what the test changes. */
function isGenuine({ method, path: target, headers, body }: Received, secret: string, change: object = {}) {
  const signed = { method, target, headers, body, ...change };
  const signature = String(headers['service-signature']);
  return verifyRequest(secret, signature, signed, signed.body).ok;
}

t.test('a call says for whom it is made, and all of that is signed', async t => {
  const receiver = await receiverFor(t);
  receiver.behaviour = json('done');
  const { call, tenant, tools, toolId, signingSecret } = await bench({
    url: receiver.url('/a?b=c'),
    method: 'GET',
  });
  const threadId = newId('thread');
  const ref = 'Zoë 李\r\nX-Admin: 1%\u202e\u{1f600}';
  await database.query(
    `insert into threads (thread_id, project_id, environment_id, external_ref, status, state, version, last_message_at, active_second,
       created_at, updated_at) values ($1, $2, $3, $4, 'open', '{}', 1, now(), 0, now(), now())`,
    [threadId, tenant.projectId, tenant.environmentId, ref],
  );
  t.match(await call({ id: 7 }, { threadId }), { status: 'succeeded' });
  const [received] = receiver.received;
  if (received === undefined) return t.fail('nothing came');
  const { headers } = received;
  t.match(headers, { 'service-run-id': 'run_1', 'service-thread-id': threadId });
  t.equal(decodeURIComponent(String(headers['service-participant-ref'])), ref);
  t.equal(headers['x-admin'], undefined);
  t.ok(isGenuine(received, signingSecret));
  for (const change of [
    { method: 'DELETE' },
    { target: '/a?b=c&id=8' },
    { target: '/b?b=c&id=7' },
    { body: ' ' },
    ...['idempotency-key', 'service-run-id', 'service-thread-id', 'service-participant-ref'].flatMap(name => [
      { headers: { ...headers, [name]: 'another' } },
      { headers: { ...headers, [name]: undefined } },
    ]),
  ]) {
    t.notOk(isGenuine(received, signingSecret, change), JSON.stringify(change));
  }

  // Another tenant's thread names nobody here, and a test is made for nobody.
  await call({ id: 7 }, { threadId: newId('thread') });
  await tools.test(tenant, toolId, {});
  const [, unknown, test] = receiver.received;
  t.equal(unknown?.headers['service-participant-ref'], undefined);
  t.notMatch(Object.keys(test?.headers ?? {}).join(), /service-(run|thread|participant)/);
  t.ok(test !== undefined && isGenuine(test, signingSecret));
});

t.test('former secrets sign, too, until their grace is over', async t => {
  const receiver = await receiverFor(t);
  receiver.behaviour = json('done');
  const { call, tenant, toolId, clock, opened, signingSecret: first } = await bench({ url: receiver.url() });
  const rotate = async (gracePeriodSeconds: number) => {
    const request = { ...tenant, ...rows.audit(), now: clock.now(), toolId, gracePeriodSeconds };
    return (await rows.tools.rotateSecret(request)).signingSecret;
  };
  /** Which of the secrets the next call is signed with. */
  const signedBy = async (...secrets: readonly string[]): Promise<boolean[]> => {
    await call();
    const received = receiver.received.at(-1);
    if (received === undefined) throw new Error('nothing came');
    return secrets.map(secret => {
      const at = { now: clock.now() };
      const { method, path: target, headers, body } = received;
      const signature = String(headers['service-signature']);
      const isSigned = verifyRequest(secret, signature, { method, target, headers }, body, at).ok;
      t.equal(verifyService(secret, signature, body, at).ok, isSigned, 'v1 as v2');
      return isSigned;
    });
  };
  const second = await rotate(60);
  t.strictSame(await signedBy(first, second), [true, true]);
  await clock.advance(30_000);
  const third = await rotate(60);
  t.strictSame(await signedBy(first, second, third), [true, true, true]);
  await clock.advance(30_000);
  t.strictSame(await signedBy(first, second, third), [false, true, true], 'its grace is over');
  const fourth = await rotate(0);
  t.strictSame(await signedBy(first, second, third, fourth), [false, false, false, true]);

  const fifth = await rotate(60);
  await database.query(
    `update tools set former_secrets = jsonb_set(former_secrets, '{0,jwe}', '"lost"') where tool_id = $1`,
    [toolId],
  );
  for (let calls = 0; calls < 2; calls++) {
    t.strictSame(
      await signedBy(fourth, fifth),
      [false, true],
      'the new one does, where the former one is lost',
    );
  }
  t.equal(opened.filter(jwe => jwe === 'lost').length, 1, 'which is asked for once');
});

t.test('a tool that requires approval by now is not called without', async t => {
  const receiver = await receiverFor(t);
  receiver.behaviour = json('done');
  const { call, tools, tenant, toolId } = await bench({ url: receiver.url(), requiresApproval: true });
  t.match(await call(), { status: 'failed', error: /requires the approval of a person/ });
  t.equal(receiver.received.length, 0);
  t.match(await call({}, { isApproved: true }), { status: 'succeeded' });
  t.match(await tools.test(tenant, toolId, {}), { status: 'succeeded' });
  const approvalAskedAt = Date.now() - 60_000;
  t.match(
    await call({}, { isApproved: true, approvalAskedAt }),
    { status: 'failed', error: /has changed since the approval was requested/ },
    'an approval is for the tool as it was',
  );
  const later = { isApproved: true, approvalAskedAt: Date.now() + 60_000 };
  t.match(await call({}, later), { status: 'succeeded' });
  t.equal(receiver.received.length, 3);
});

t.test('a GET and a DELETE: arguments in the query, which the signature covers', async t => {
  const receiver = await receiverFor(t);
  for (const method of ['GET', 'DELETE'] as const) {
    receiver.behaviour = answer(200, { 'content-type': 'text/plain' }, 'gone');
    const { call, signingSecret } = await bench({ url: receiver.url('/a?b=c'), method });
    const input = { id: 'x y&z', n: 2, on: true, none: null, tags: ['a', 'b'], deep: { a: 1 } };
    t.match(await call(input), { status: 'succeeded', result: 'gone' }, 'text is an answer too');
    const received = receiver.received.at(-1);
    t.equal(received?.path, '/a?b=c&id=x+y%26z&n=2&on=true&tags=a&tags=b&deep=%7B%22a%22%3A1%7D');
    t.equal(received?.body, '');
    t.equal(received?.headers['content-type'], undefined);
    t.ok(received !== undefined && hasValidSignature(received, signingSecret));
    t.ok(received !== undefined && isGenuine(received, signingSecret));
    t.match(await call({ id: 'x'.repeat(9_000) }), { status: 'failed', error: /too long for an address/ });
  }
  t.equal(receiver.received.length, 2);
  const { call } = await bench({ url: receiver.url('/a?Account=7&in[x]=1'), method: 'GET' });
  for (const name of ['Account', 'account', 'account[]', 'ACCOUNT[x]', 'in', 'in[x][]']) {
    const error = `the argument ${name} is not allowed: the tool sets it itself`;
    t.match(await call({ id: 1, [name]: 8 }), { status: 'failed', httpStatus: null, error });
  }
  t.equal(receiver.received.length, 2);
  t.match(await call({ accounts: 8, 'in[y]': 2 }), { status: 'succeeded' });
});

t.test(
  'a database that is away for as long as the run lasts is not taken for a tool that is gone',
  async t => {
    const receiver = await receiverFor(t);
    const db = { em: () => database.em(), query: () => Promise.reject(new Error('away')) };
    const { call, clock } = await bench({ url: receiver.url() }, { db });
    const error = /^there was no time left for the call: it could not be looked up/;
    const called = call({}, { deadline: clock.now() + 900 });
    await untilWaiting(clock);
    await clock.advance(500);
    t.match(await called, { status: 'failed', error });
    t.match(await call({}, { deadline: clock.now(), lost: true }), { status: 'interrupted' });
    t.equal(receiver.received.length, 0);
  },
);

t.test('arguments are held against the schema before anything is sent', async t => {
  const receiver = await receiverFor(t);
  const inputSchema = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
  const { call, row } = await bench({ url: receiver.url(), inputSchema });
  t.match(await call({}), { status: 'failed', httpStatus: null, error: /^the arguments do not fit/ });
  for (const input of [null, 'text', []]) {
    t.match(await call(input), { error: 'the arguments are not a JSON object' });
  }
  t.equal(receiver.received.length, 0);
  t.match(await row(), { failures: 0 }, "the model's mistakes are not the tool's");
});

t.test('a hostile schema does not stop the process', async t => {
  const pattern = (text: string) => ({
    type: 'object',
    properties: { a: { type: 'string', pattern: text } },
  });
  const hard = (letter: string) => ({ a: `${letter.repeat(40)}!` });
  const evil = pattern('^(a+)+$');
  const cannot = /inputSchema cannot be used/;
  t.match(await findInputFault(evil, hard('a')), cannot);
  t.match(await findInputFault(evil, { a: 'a' }), cannot, 'it rests: these arguments would take no time');
  t.equal(await findInputFault(pattern('^a+$'), { a: 'aaa' }), undefined);
  t.match(await findInputFault(pattern('^a+$'), { a: 'b' }), /^the arguments do not fit: \/a /);
  t.match(await findInputFault(pattern('('), { a: 'b' }), cannot);
  t.match(
    await findInputFault({ type: 'object', properties: { a: { $ref: '#' } }, allOf: [{ $ref: '#' }] }, {}),
    cannot,
  );
  t.match(await findInputFault(null, { a: '\0' }), /^the arguments do not fit: \/a /);

  const items = (schema: object) => ({ type: 'object', properties: { a: { type: 'array', items: schema } } });
  const constants = Array.from({ length: 600 }, (_, n) => ({ const: n + 10 }));
  const list = (length: number) => ({ a: Array.from({ length }, () => 1) });
  t.equal(await findInputFault(items({ anyOf: [...constants, { type: 'integer' }] }), list(4)), undefined);
  const unique = items({ uniqueItems: true, allOf: constants.map(() => ({ uniqueItems: true })) });
  const schemas = [items({ anyOf: [...constants, { type: 'integer' }] }), unique, evil, pattern('^(b+)+$')];
  const inputs = [list(20_000), { a: list(200).a.map(() => list(100).a) }, ...['a', 'b'].map(hard)];
  // The turns of the event loop meanwhile.
  let turns = 0;
  let isDone = false;
  const checks = Promise.all(schemas.map((schema, n) => findInputFault(schema, inputs[n])));
  void checks.then(() => (isDone = true));
  while (!isDone) {
    await new Promise(resolve => setImmediate(resolve));
    turns++;
  }
  const faults = await checks;
  t.ok(turns > 100, `the event loop went on: ${turns} turns`);
  t.match(faults[0], cannot);
  t.match(faults[3], cannot);
  const large = 'the arguments are too large: more than 64 KiB';
  t.equal(await findInputFault(null, { a: 'ü'.repeat(32_764) }), undefined);
  t.equal(await findInputFault(null, { a: 'ü'.repeat(32_765) }), large);
});

t.test('what the model is told of empty, malformed and failed answers', async t => {
  const receiver = await receiverFor(t);
  const { call } = await bench({ url: receiver.url(), method: 'GET' });
  receiver.behaviour = answer(204);
  t.match(await call(), { status: 'succeeded', result: null, httpStatus: 204 });
  receiver.behaviour = answer(200, { 'content-type': 'application/json' }, '{"half":');
  t.match(await call(), { status: 'succeeded', result: '{"half":' }, 'not JSON is text');
  receiver.behaviour = answer(200, {}, ' {"a": 1}');
  t.match(await call(), { result: { a: 1 } }, 'JSON that does not say so');
  receiver.behaviour = answer(200, { 'content-type': 'application/json' }, '{"a\\u0000":"\\ud800"}');
  t.same((await call()).result, { 'a\ufffd': '\ufffd' }, 'fit to be stored');
  receiver.behaviour = answer(200, {}, '['.repeat(5_000) + ']'.repeat(5_000));
  t.equal(JSON.stringify((await call()).result).length, 132, 'as deep as can be stored');
  receiver.behaviour = json({ message: 'no such order' }, 404);
  t.match(await call(), {
    status: 'failed',
    httpStatus: 404,
    error: 'the tool answered 404',
    result: { error: 'the tool answered 404', body: '{"message":"no such order"}' },
  });
  receiver.behaviour = answer(302, { location: receiver.url('/elsewhere') });
  t.match(await call(), { status: 'failed', httpStatus: 302, error: /redirections are not followed/ });
  receiver.behaviour = answer(200, {}, 'x'.repeat(262_144));
  t.match(await call(), { status: 'succeeded', result: /^x+$/ });
  receiver.behaviour = answer(200, {}, 'x'.repeat(262_145));
  t.match(await call(), { status: 'failed', result: null, error: /too large: more than 256 KiB/ });
  receiver.behaviour = (_request, response) => {
    response.writeHead(200);
    const piece = Buffer.alloc(65_536, 'x');
    let left = 160;
    const write = (): void => {
      while (left-- > 0) if (!response.write(piece)) return void response.once('drain', write);
      response.end();
    };
    write();
  };
  t.match(await call(), { status: 'failed', error: /too large/ }, '10 MB');
});

t.test('a secret in an answer is redacted, in whatever form', async t => {
  const receiver = await receiverFor(t);
  const basic = `Basic ${Buffer.from('user:pass word!').toString('base64')}`;
  const headers = { Authorization: basic, 'X-Key': 'key/of+the=tool', 'X-Mode': 'on' };
  const { call, signingSecret } = await bench({ url: receiver.url(), headers });
  const secrets = [
    'key/of+the=tool',
    'key%2Fof%2Bthe%3Dtool',
    basic,
    basic.slice(6),
    'pass word!',
    signingSecret,
  ];
  receiver.behaviour = json({ all: secrets, [`name ${secrets[0] ?? ''}`]: 'on' });
  const { result } = await call();
  t.same(result, { all: secrets.map(() => '[redacted]'), 'name [redacted]': 'on' });
  receiver.behaviour = answer(200, { 'content-type': 'text/plain' }, `you sent ${basic}`);
  t.equal((await call()).result, 'you sent [redacted]');
  receiver.behaviour = json({ sent: headers }, 500);
  const failed = JSON.stringify(await call());
  t.ok(secrets.every(secret => !failed.includes(secret)));
  const cited = await bench({ url: receiver.url(), headers: { 'X-Key': 'a "key"/of 7', 'X-No': '1234567' } });
  const escaped = '{"key":"a \\"key\\"\\/of\\u00207","no":1234567';
  for (const status of [200, 400, 500]) {
    receiver.behaviour = answer(status, { 'content-type': 'application/json' }, `${escaped}}`);
    t.match(JSON.stringify((await cited.call()).result), /key.*\[redacted\].*no.*\[redacted\]/, `${status}`);
    // No JSON, but it was to be.
    receiver.behaviour = answer(status, {}, escaped.replace('\\u0020', ' '));
    t.match(JSON.stringify((await cited.call()).result), /key.*\[redacted\].*no.*\[redacted\]/, `${status}`);
  }
});

t.test("attempts by the tool's own rule, each committed before it is made", async t => {
  const receiver = await receiverFor(t);
  const rule = { retryMaxAttempts: 3, retryBackoffMs: 1_000 };
  const { call, clock, asked, row } = await bench({ url: receiver.url(), ...rule });
  const answers = [answer(503, { 'retry-after': '3' }), answer(429), json('done')];
  receiver.behaviour = (request, response) => answers[receiver.received.length - 1]?.(request, response);
  const outcome = call({ a: 1 });
  await receiver.arrived(1);
  await untilWaiting(clock);
  await clock.advance(2_999);
  t.same(asked, [], 'not before the tool wants it');
  await clock.advance(1);
  await receiver.arrived(2);
  t.same(asked, [2]);
  await untilWaiting(clock);
  await clock.advance(2_000);
  t.match(await outcome, { status: 'succeeded', result: 'done', durationMs: 5_000 });
  t.same(asked, [2, 3]);
  const keys = receiver.received.map(({ headers }) => headers['idempotency-key']);
  t.same(keys, ['run_1.1.1', 'run_1.1.1', 'run_1.1.1']);
  t.match(await row(), { failures: 0 }, 'all attempts together are one call');
});

t.test('failures that are not retried', async t => {
  const receiver = await receiverFor(t);
  const rule = { url: receiver.url(), retryMaxAttempts: 5, retryBackoffMs: 0 };
  const { call, clock, asked } = await bench(rule);
  receiver.behaviour = answer(400);
  await call();
  t.same(asked, [], 'a request that the tool refuses');
  receiver.behaviour = answer(500);
  await call({}, { attempt: 5 });
  t.same(asked, [], 'a call whose attempts are used up');
  const late = call({}, { deadline: clock.now() + 5_000 });
  receiver.behaviour = answer(503, { 'retry-after': '60' });
  t.match(await late, { status: 'failed', httpStatus: 503 }, 'what would come too late');
  receiver.behaviour = answer(500);
  const forbidden = call({}, {}, undefined, false);
  await untilWaiting(clock);
  await clock.advance(0);
  t.match(await forbidden, { status: 'failed' });
  t.same(asked, [2], 'what the run does not want any more');
});

t.test('an attempt that was lost is not made again, but the next one is, if there is one', async t => {
  const receiver = await receiverFor(t);
  receiver.behaviour = json('done');
  const once = await bench({ url: receiver.url(), retryMaxAttempts: 1 });
  t.match(await once.call({}, { lost: true }), {
    status: 'interrupted',
    result: null,
    error: /is not known/,
  });
  t.same([once.asked, receiver.received.length], [[], 0]);
  const twice = await bench({ url: receiver.url(), retryMaxAttempts: 2 });
  t.match(await twice.call({}, { lost: true }), { status: 'succeeded', result: 'done' });
  t.same([twice.asked, receiver.received.length], [[2], 1]);
  t.match(await twice.call({}, { lost: true }, undefined, false), { status: 'interrupted' });
  t.equal(receiver.received.length, 1);
});

t.test(
  'five failures in a row open the circuit; one probe a minute goes through; a success closes it',
  async t => {
    const receiver = await receiverFor(t);
    const { call, clock, row, tenant, toolId, tools } = await bench({
      url: receiver.url(),
      retryMaxAttempts: 3,
    });
    const getEvents = () =>
      database.query<{ status: string }>(
        `select body::jsonb #>> '{data,tool,status}' as status from events
       where project_id = $1 and event_name = 'tool.status.changed' order by seq`,
        [tenant.projectId],
      );
    const once = { attempt: 3 };
    receiver.behaviour = answer(500);
    for (let n = 0; n < 3; n++) await call({}, once);
    receiver.behaviour = answer(404);
    await call({}, once);
    t.match(await row(), { status: 'active', failures: 0 }, 'a tool that answers lives');
    receiver.behaviour = answer(500);
    for (let n = 0; n < 5; n++) await call({}, once);
    t.match(await row(), { status: 'error', failures: 5 });
    t.same(await getEvents(), [{ status: 'error' }]);
    const before = receiver.received.length;
    t.match(await call(), { status: 'failed', error: /has failed too often/ });
    t.equal(receiver.received.length, before, 'nothing is sent');
    await clock.advance(60_000);
    const probes = await Promise.all([call(), call(), call()]);
    t.equal(receiver.received.length, before + 1, 'one of them, with one attempt');
    t.equal(probes.filter(({ httpStatus }) => httpStatus === 500).length, 1);
    t.match(await row(), { status: 'error', failures: 6 });
    receiver.behaviour = json('well again');
    t.match(await call(), { error: /has failed too often/ });
    await clock.advance(60_000);
    t.match(await call(), { status: 'succeeded' });
    t.match(await row(), { status: 'active', failures: 0, probe_at: null });
    t.same(await getEvents(), [{ status: 'error' }, { status: 'active' }]);
    await database.query(`update tools set status = 'disabled' where tool_id = $1`, [toolId]);
    t.match(await call(), { status: 'failed', error: 'the tool is disabled' });
    await new ToolCircuit(database).recordOutcome({ ...tenant, toolId }, 'succeeded', clock.now());
    t.match(await row(), { status: 'disabled' }, 'what a user has disabled stays so');
    t.match(await tools.test(tenant, toolId, {}), { status: 'succeeded' }, 'but can be tested');
    t.match(await row(), { status: 'disabled' });
  },
);

t.test("nobody calls another environment's tool", async t => {
  const receiver = await receiverFor(t);
  const { call, tools, tenant, toolId } = await bench({ url: receiver.url() });
  const other = await rows.tenant('production', tenant.projectId);
  t.match(await call({}, other), { status: 'failed', error: 'there is no such tool any more' });
  await t.rejects(tools.test(other, toolId, {}), { code: 'svc/runtime/not_found' });
  t.equal(receiver.received.length, 0);
});

t.test('a test is one attempt, and says what a model would be told', async t => {
  const receiver = await receiverFor(t);
  const { tools, tenant, toolId } = await bench({ url: receiver.url(), retryMaxAttempts: 5 });
  receiver.behaviour = json({ no: 1 }, 500);
  const { durationMs, ...rest } = await tools.test(tenant, toolId, { a: 1 });
  t.ok(durationMs >= 0);
  const error = 'the tool answered 500';
  t.same(rest, { status: 'failed', httpStatus: 500, error, result: { error, body: '{"no":1}' } });
  t.equal(receiver.received.length, 1);
  t.match(receiver.received[0]?.headers['idempotency-key'], /^test\./);
});

t.test('a cancelled call closes its connection, and rejects with the reason', async t => {
  const receiver = await receiverFor(t);
  const cancelled = new Error('cancelled');
  const closed = new Promise<void>(resolve => {
    receiver.behaviour = (_request, response) => void response.on('close', resolve);
  });
  const rule = { url: receiver.url(), retryMaxAttempts: 3, retryBackoffMs: 30_000 };
  const { call, clock, row } = await bench(rule);
  const controller = new AbortController();
  const called = call({}, {}, controller.signal);
  await receiver.arrived(1);
  controller.abort(cancelled);
  await t.rejects(called, cancelled);
  await closed;
  t.match(await row(), { failures: 0 });
  await t.rejects(call({}, {}, controller.signal), cancelled);
  t.equal(receiver.received.length, 1);
  // In the wait between two attempts.
  receiver.behaviour = answer(500);
  const again = new AbortController();
  const waiting = call({}, {}, again.signal);
  await untilWaiting(clock);
  again.abort(cancelled);
  await t.rejects(waiting, cancelled);
  t.equal(clock.pending, 0);
});

t.test('a pool without room is waited for', async t => {
  const receiver = await receiverFor(t);
  receiver.behaviour = json('done');
  let full = true;
  const send: OutboundQueue['send'] = (...args) =>
    full ? Promise.reject(new PoolOverloaded('full')) : pool.queue.send(...args);
  const { call, clock, asked } = await bench({ url: receiver.url() }, { pool: { send } });
  const called = call();
  await untilWaiting(clock);
  full = false;
  await clock.advance(1_000);
  t.match(await called, { status: 'succeeded' });
  t.same(asked, [], 'nothing was sent: it is the same attempt');
  full = true;
  const never = call({}, { deadline: clock.now() + 400 });
  await untilWaiting(clock);
  await clock.advance(1_000);
  t.match(await never, { error: 'there was no time left for the call' });
});
