/**
 * Fuzzed requests for every operation: none is answered 5xx, none is left without an answer, and every answer is one that the
 * operation's row declares, of the shape that it declares (see `hold` in test/node/client.ts). A run that fails prints its seed and
 * the smallest request that it found.
 */
import fc from '../support/fuzz.ts';
import t from 'tap';
import { newId, type Resource } from '../../protocol/ids.ts';
import type { Operation } from '../../protocol/operation.ts';
import { operations, type OperationId } from '../../protocol/operations/table.ts';
import type { Reply } from '../node/client.ts';
import { fields } from '../node/sample.ts';
import { changed, createChanges, createCookies, createRequests } from './arbitrary.ts';
import { ask } from './ask.ts';
import { fuzzedRequests } from './coverage.ts';
import { good } from './refusals.ts';
import { withTimeLimit } from '../support/time-limit.ts';
import { usualCaller } from './scenario.ts';
import { scenarios } from './scenarios/all.ts';
import { startContractFixture, type TenantEnvironment } from './contract-fixture.ts';

/** Of each operation, made of its scenario's request. */
const nearRuns = 8;
/** So many operations are asked at the same time. */
const lanes = 16;
/** What it changes decides what the runs of all others may do: it is asked when they have been. */
const lastOperation: OperationId = 'setBudgets';
/** A workspace has one of it, that one of these operations takes away from under the request of another: they are asked one after another. */
const shared = 'Single sign-on';

const fixture = await startContractFixture(t);
const { sandbox } = fixture;
const own = new Map<Resource, Set<string>>();

const rows = Object.entries(operations) as [OperationId, Operation][];

async function gather(env: TenantEnvironment): Promise<void> {
  for (const [id, operation] of rows) {
    const { request, variants = [] } = scenarios[id];
    for (const make of [request, ...variants]) {
      const asked = await make(env);
      for (const { part, name, resource } of fields(operation)) {
        const value = (asked[part] as Readonly<Record<string, unknown>> | undefined)?.[name];
        if (resource === undefined || typeof value !== 'string') continue;
        own.set(resource, (own.get(resource) ?? new Set()).add(value));
      }
    }
  }
}
await gather(sandbox);
// What the tests stand on is not to be removed by chance.
for (const resource of ['apiKey', 'user'] as const) own.delete(resource);

const pool = (resource: Resource): readonly string[] => {
  const mine = [...(own.get(resource) ?? [])];
  return mine.length === 0 ? [newId(resource)] : mine;
};

/** Nor to be archived: nothing could be done there any more. */
const archives: ReadonlySet<OperationId> = new Set(['archiveWorkspace', 'archiveProject']);
const foundations: ReadonlySet<string> = new Set([sandbox.tenant.workspaceId, sandbox.projectId]);
const getPool = (id: OperationId): typeof pool =>
  archives.has(id) ? resource => pool(resource).filter(each => !foundations.has(each)) : pool;

// Refresh cookies that were given: each is good once.
const cookies = await Promise.all(
  Array.from({ length: 12 }, async () => {
    const { headers } = await scenarios.refresh.request(sandbox);
    return String(headers?.['cookie']);
  }),
);
const takesCookie = ({ auth, optionalAuth }: Operation): boolean =>
  auth === 'refresh' || optionalAuth?.includes('refreshCookie') === true;

let asked = 0;
/** How many requests of each operation did what they asked for. */
const done = new Map<OperationId, number>();

/** What was found: at most one fault. */
async function tryOut(id: OperationId, operation: Operation): Promise<string[]> {
  const by = usualCaller(operation, sandbox);
  const headers = takesCookie(operation) ? createCookies(cookies) : fc.constant({});
  const property = fc.asyncProperty(
    createRequests(operation, getPool(id)),
    headers,
    async (request, headers) => {
      asked++;
      note(id, operation, await withTimeLimit(ask(by, id, { ...request, headers }), 'answer'));
    },
  );
  // Chance alone seldom hits upon what goes together: an operation's own request, a little changed, gets further.
  const near = fc.asyncProperty(createChanges(operation, getPool(id)), async changes => {
    const { by, asked: request } = await good(id, scenarios[id], sandbox);
    asked++;
    note(id, operation, await withTimeLimit(ask(by, id, changed(operation, request, changes)), 'answer'));
  });
  const found = findFaults(id, await fc.check(property, { numRuns: fuzzedRequests - nearRuns }));
  if (found.length > 0) return found;
  return findFaults(id, await fc.check(near, { numRuns: nearRuns, examples: [[[]]] }));
}

function note(id: OperationId, { success, alternative }: Operation, { status }: Reply<unknown>): void {
  if (status === success.status || status === alternative?.status) done.set(id, (done.get(id) ?? 0) + 1);
}

function findFaults<Ts>(id: OperationId, result: fc.RunDetails<Ts>): string[] {
  if (!result.failed) return [];
  const { seed, counterexamplePath, counterexample, errorInstance } = result;
  return [
    `${id}: seed ${seed} path ${counterexamplePath} ${JSON.stringify(counterexample)} ${String(errorInstance)}`,
  ];
}

/** What another operation took away between a good request's making and its asking (a session, by a new password) is asked for once more. */
async function askAlone(): Promise<void> {
  for (const [id, operation] of rows) {
    if (done.has(id) || id === lastOperation) continue;
    const { by, asked: request } = await good(id, scenarios[id], sandbox);
    note(id, operation, await withTimeLimit(ask(by, id, request), 'answer'));
  }
}

t.test('fuzzed requests are answered as the rows say', async t => {
  const faults: string[] = [];
  const others = rows.filter(([id]) => id !== lastOperation);
  const queue = [
    others.filter(([, { tag }]) => tag === shared),
    ...others.filter(([, { tag }]) => tag !== shared).map(row => [row]),
  ];
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        for (const row of next) faults.push(...(await tryOut(...row)));
      }
    }),
  );
  await askAlone();
  faults.push(...(await tryOut(lastOperation, operations[lastOperation])));
  t.same(faults, []);
  t.equal(asked, rows.length * fuzzedRequests);
});

t.test('every operation did what it is for, now and then', t => {
  t.same(
    rows.map(([id]) => id).filter(id => !done.has(id)),
    [],
  );
  const all = [...done.values()].reduce((sum, each) => sum + each, 0);
  t.comment(`${all} of them succeeded`);
  t.end();
});

t.test('the node', t => fixture.assertHealthy(t));
