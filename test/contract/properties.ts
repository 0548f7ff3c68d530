/**
 * Fuzzed requests: none is answered with 5xx or stays without an answer, and every answer is one that the operation's row declares, in the
 * declared shape (see `hold` in test/node/client.ts). A failed run prints its seed and the smallest request that fails.
 */
import type { Test } from 'tap';
import { newId, type Resource } from '../../protocol/ids.ts';
import type { Operation } from '../../protocol/operation.ts';
import { operations, type OperationId } from '../../protocol/operations/table.ts';
import type { Reply } from '../node/client.ts';
import { fields } from '../node/sample.ts';
import fc from '../support/fuzz.ts';
import { withTimeLimit } from '../support/time-limit.ts';
import { changed, createChanges, createCookies, createRequests, type Pool } from './arbitrary.ts';
import { ask } from './ask.ts';
import { type ContractFixture, startContractFixture } from './contract-fixture.ts';
import { good } from './refusals.ts';
import { usualCaller } from './scenario.ts';
import { scenarios } from './scenarios/all.ts';

/** Requests for each operation. */
export interface Runs {
  /** Composed from the schemas. */
  readonly composed: number;
  /** The request of its scenario with some changes. Composed requests seldom get as far. */
  readonly changed: number;
}

/** Operations that are asked at the same time. */
const lanes = 16;
/** It limits the runs of all others, and comes last. */
const lastOperation: OperationId = 'setBudgets';
/** Operations that change the one connection of a workspace follow one another. */
const sequentialTag = 'Single sign-on';
/** Credentials of the tests: they must not be removed by chance. */
const excluded: readonly Resource[] = ['apiKey', 'user'];
const archives: ReadonlySet<OperationId> = new Set(['archiveWorkspace', 'archiveProject']);

const rows = Object.entries(operations) as [OperationId, Operation][];
const takesCookie = ({ auth, optionalAuth }: Operation): boolean =>
  auth === 'refresh' || optionalAuth?.includes('refreshCookie') === true;

class Fuzzing {
  readonly #fixture: ContractFixture;
  readonly #runs: Runs;
  /** Ids of the sandbox. */
  readonly #own = new Map<Resource, Set<string>>();
  readonly #cookies: string[] = [];
  /** Operations that have succeeded. */
  readonly #done = new Set<OperationId>();
  readonly faults: string[] = [];

  constructor(fixture: ContractFixture, runs: Runs) {
    this.#fixture = fixture;
    this.#runs = runs;
  }

  /** Creates resources of all operations, and refresh cookies, each of which can be used once. */
  async prepare(operations: readonly (readonly [OperationId, Operation])[]): Promise<void> {
    const { sandbox } = this.#fixture;
    for (const [id, operation] of operations) {
      const { request, variants = [] } = scenarios[id];
      for (const make of [request, ...variants]) {
        const asked = await make(sandbox);
        for (const { part, name, resource } of fields(operation)) {
          const value = (asked[part] as Readonly<Record<string, unknown>> | undefined)?.[name];
          if (resource === undefined || excluded.includes(resource) || typeof value !== 'string') continue;
          this.#own.set(resource, (this.#own.get(resource) ?? new Set()).add(value));
        }
      }
    }
    const count = operations.some(([, operation]) => takesCookie(operation)) ? 6 : 0;
    while (this.#cookies.length < count) {
      const { headers } = await scenarios.refresh.request(sandbox);
      this.#cookies.push(String(headers?.['cookie']));
    }
  }

  #getPool(id: OperationId): Pool {
    const { tenant, projectId } = this.#fixture.sandbox;
    // Without its workspace or project, no later request could succeed.
    const kept = archives.has(id) ? [tenant.workspaceId, projectId] : [];
    return resource => {
      const own = [...(this.#own.get(resource) ?? [])].filter(each => !kept.includes(each));
      return own.length === 0 ? [newId(resource)] : own;
    };
  }

  async tryOperation([id, operation]: readonly [OperationId, Operation]): Promise<void> {
    const { sandbox } = this.#fixture;
    const by = usualCaller(operation, sandbox);
    const headers = takesCookie(operation) ? createCookies(this.#cookies) : fc.constant({});
    const composed = fc.asyncProperty(
      createRequests(operation, this.#getPool(id)),
      headers,
      async (request, headers) => {
        this.#note(id, await withTimeLimit(ask(by, id, { ...request, headers }), 'answer'));
      },
    );
    const near = fc.asyncProperty(createChanges(operation, this.#getPool(id)), async changes => {
      const { by, asked } = await good(id, scenarios[id], sandbox);
      this.#note(id, await withTimeLimit(ask(by, id, changed(operation, asked, changes)), 'answer'));
    });
    this.#addFault(id, await fc.check(composed, { numRuns: this.#runs.composed }));
    this.#addFault(id, await fc.check(near, { numRuns: this.#runs.changed, examples: [[[]]] }));
  }

  /**
   * Sends the request of the scenario for each operation that has not succeeded: another operation may have removed what its request needed, such
   * as a session. Returns those that never succeed.
   */
  async listFailing(tried: readonly (readonly [OperationId, Operation])[]): Promise<OperationId[]> {
    for (const [id] of tried) {
      if (this.#done.has(id) || id === lastOperation) continue;
      const { by, asked } = await good(id, scenarios[id], this.#fixture.sandbox);
      this.#note(id, await withTimeLimit(ask(by, id, asked), 'answer'));
    }
    return tried.map(([id]) => id).filter(id => !this.#done.has(id) && id !== lastOperation);
  }

  #note(id: OperationId, { status }: Reply<unknown>): void {
    const { success, alternative }: Operation = operations[id];
    if (status === success.status || status === alternative?.status) this.#done.add(id);
  }

  #addFault<Ts>(id: OperationId, result: fc.RunDetails<Ts>): void {
    if (!result.failed) return;
    const { seed, counterexamplePath, counterexample, errorInstance } = result;
    this.faults.push(
      `${id}: seed ${seed} path ${counterexamplePath} ${JSON.stringify(counterexample)} ${String(errorInstance)}`,
    );
  }
}

/** @param nth operation to try */
export async function fuzzOperations(t: Test, runs: Runs, nth = 1): Promise<void> {
  const fixture = await startContractFixture(t);
  const tried = rows.filter(([id], at) => at % nth === 0 || id === lastOperation);
  const fuzzing = new Fuzzing(fixture, runs);
  await fuzzing.prepare(tried);

  await t.test('fuzzed requests are answered as the rows declare', async t => {
    const others = tried.filter(([id]) => id !== lastOperation);
    const queue = [
      others.filter(([, { tag }]) => tag === sequentialTag),
      ...others.filter(([, { tag }]) => tag !== sequentialTag).map(row => [row]),
    ];
    const lane = async (): Promise<void> => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        for (const row of next) await fuzzing.tryOperation(row);
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    t.same(await fuzzing.listFailing(tried), [], 'every operation has succeeded');
    await fuzzing.tryOperation([lastOperation, operations[lastOperation]]);
    t.same(fuzzing.faults, []);
  });
  await t.test('the node', t => fixture.assertHealthy(t));
}
