/**
 * What may happen to every operation alike, on its own route: a fault of ours is 500, is logged, and tells the caller nothing; a server
 * that does not serve yet is 503; a quota that is used up is 429, both with the time to come back.
 */
import { createSurroundings } from '../gateway/stream/stream-fixture.ts';
import t, { type Test } from 'tap';
import { ConsoleStream } from '../../gateway/stream/endpoint.ts';
import { serveOperations } from '../../gateway/rest/operations.ts';
import { Idempotency } from '../../gateway/pipeline/idempotency.ts';
import type { Caller, Handler, Handlers } from '../../gateway/pipeline/handler.ts';
import type { RateLimiter } from '../../gateway/pipeline/rate-limiter.ts';
import { errors, type ErrorCode } from '../../protocol/errors.ts';
import { exampleId, createExample } from '../../protocol/openapi/examples.ts';
import type { Operation, RateClass } from '../../protocol/operation.ts';
import { operations, type OperationId, type Operations } from '../../protocol/operations/table.ts';
import { ErrorResponse } from '../../protocol/resources/error.ts';
import { matchesSchema } from '../../protocol/validate.ts';
import { systemClock } from '../../runtime/time/clock.ts';
import { docsUrl, MemoryLog, startServer } from '../gateway/http/http-fixture.ts';
import { hash, sealer, untouched } from '../gateway/rest/rest-fixture.ts';
import { Client, Line, type Asked, type Refusal, type Reply } from '../node/client.ts';
import { fields } from '../node/sample.ts';
import { ask } from './ask.ts';

const rows = Object.entries(operations) as [OperationId, Operation][];
const secret = 'what nobody outside may read';
const environmentId = exampleId('environment');
const environments = [{ environmentId, kind: 'sandbox' }] as const;

const boss: Caller = {
  type: 'user',
  userId: exampleId('user'),
  sessionId: exampleId('session'),
  email: 'ada@acme.test',
  emailVerified: true,
  hasSecondFactor: false,
};

/** A request like the example of the document, with what is required. */
function example(operation: Operation): Asked {
  const asked: Record<string, Record<string, unknown>> = {};
  for (const { part, name, schema, required } of fields(operation)) {
    if (required) (asked[part] ??= {})[name] = createExample(schema, name);
  }
  return { ...asked, ...(operation.body === undefined ? {} : { body: createExample(operation.body) }) };
}

/** A server whose every operation fails. */
async function start(t: Test, limiter?: RateLimiter) {
  const fail: Handler = () => {
    throw new Error(secret);
  };
  const handlers = Object.fromEntries(rows.map(([id]) => [id, fail])) as Handlers<Operations>;
  const entries = new MemoryLog();
  const { url, server, log } = await startServer(t, server => {
    serveOperations(server, operations, handlers, {
      authenticator: { authenticate: () => boss },
      tenancy: {
        project: (_, projectId) => ({
          projectId,
          workspaceId: exampleId('workspace'),
          environments,
          workspaceRole: 'owner',
          projectRole: undefined,
          studioRole: 'owner',
          consoleRole: 'project_owner',
        }),
        workspace: async () => ({ role: 'owner', isArchived: false }),
      },
      // No request has a key that anybody would look up.
      idempotency: new Idempotency({ keys: untouched, vault: sealer, hash, log: entries }),
      clock: systemClock,
      log: entries,
      docsUrl,
      limiter,
    });
    const stream = new ConsoleStream({
      admit: () => Promise.reject(new Error(secret)),
      events: { heads: async () => [], page: async () => [] },
      publish: () => undefined,
      findRevokedCredentials: async () => new Set(),
      ...createSurroundings(),
      clock: systemClock,
      log: entries,
      docsUrl,
    });
    server.websocket(`/v1${operations.openStream.path}`, stream);
  });
  // A websocket's fault is in the server's own log.
  const logged = () => [...entries.entries, ...log.entries];
  return { server, logged, client: new Client(new Line(url, t), 'token') };
}

/** What is wrong with the refusal. */
function faults(code: ErrorCode, { status, body, text, headers }: Reply<unknown>): string[] {
  const { error, requestId } = (body ?? {}) as Refusal;
  if (error !== code) return [`${status} ${text}`];
  const found: string[] = [];
  if (status !== errors[code].http) found.push(`status ${status}`);
  if (!matchesSchema(ErrorResponse, body)) found.push(`the body: ${text}`);
  if (text.includes(secret)) found.push('it tells what went wrong inside');
  if (requestId !== headers['x-request-id']) found.push('the requestId');
  if (status !== 500 && !/^[1-9]\d*$/.test(String(headers['retry-after']))) found.push('no Retry-After');
  return found;
}

/** The answer, whatever `hold` makes of it: it takes no 500 for one of the contract. */
async function getAnswer(client: Client, id: OperationId): Promise<Reply<unknown>> {
  return ask(client, id, example(operations[id]), { held: false });
}

t.test('a fault of ours is 500, logged with the request, and told to nobody', async t => {
  const { client, logged } = await start(t);
  for (const [id] of rows) {
    const before = logged();
    const reply = await getAnswer(client, id);
    t.strictSame(faults('svc/runtime/internal_error', reply), [], id);
    const { requestId } = reply.body as Refusal;
    t.match(
      logged().filter(entry => !before.includes(entry)),
      [{ level: 'error', fields: { err: { message: secret }, requestId } }],
      id,
    );
  }
});

t.test('a server that does not serve yet says when to come back', async t => {
  const { client, server } = await start(t);
  server.hold();
  for (const [id] of rows) {
    t.strictSame(faults('svc/runtime/unavailable', await getAnswer(client, id)), [], id);
  }
});

t.test('a quota that is used up, of the class of the row', async t => {
  let charged: RateClass | undefined;
  const quota = { allowed: false, limit: 5, remaining: 0, resetSeconds: 9, retryAfterSeconds: 3 };
  const { client } = await start(t, {
    chargeCaller: rate => {
      charged = rate;
      return quota;
    },
    chargeSubject: () => undefined,
    chargeAnonymous: () => quota,
    refundAnonymous: () => undefined,
  });
  for (const [id, operation] of rows) {
    charged = undefined;
    if (operation.rate === 'none') continue;
    const reply = await getAnswer(client, id);
    t.strictSame(faults('svc/rate_limit/exceeded', reply), [], id);
    t.equal(charged, operation.rate, id);
    const { headers } = reply;
    t.match(headers, {
      'retry-after': '3',
      'x-ratelimit-limit': '5',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '9',
    });
  }
});
