/**
 * Checks what a model wants to pass to a tool against the tool's `inputSchema`. The schema is a customer's: it is interpreted and
 * never compiled to code. What cannot take long is checked at once; everything else is checked in a worker thread, with a limit on
 * its work (input.worker.ts), so that a hostile schema does not hold up the event loop and a busy machine does not fail a sound one.
 */
import { LRUCache } from 'lru-cache';
import { Piscina } from 'piscina';
import type { Issue } from '../../../protocol/errors.ts';
import { largestArguments } from '../../../protocol/tool-definition.ts';
import { findUnstorable } from '../../../protocol/validate.ts';
import { type Clock, systemClock } from '../../../runtime/time/index.ts';
import { schemaIssues } from './schema-issues.ts';

/**
 * Characters of the schema times those of the arguments. Up to 85 ns for each were measured (many constants in `anyOf`, tried for
 * every item of a list): what stays below takes less than 10 ms, and needs no limit.
 */
const harmless = 100_000;
/** Keywords that may take forever even in a small schema: a pattern can run for years on a short text, and references branch. */
const risky = /"(?:pattern|patternProperties|\$ref|\$dynamicRef|\$recursiveRef)"/;
/** Problems that the model is told of. */
const maxReportedIssues = 5;

/** What is checked in the worker thread, as JSON. */
export interface CheckTask {
  readonly schema: string;
  readonly input: string;
}

/** `undefined`: the check took too much work or memory, now or a moment ago. */
export type CheckResult = readonly Issue[] | undefined;

/** Checks that may wait for the worker at once. Runs are limited, and so are tests of tools: no honest caller reaches this limit. */
const maxWaiting = 1_000;
/** How long a schema whose check took too much is not tried again, in milliseconds. */
const restMs = 60_000;
const maxResting = 1_000;

/**
 * A worker thread for checks. It is not one of the node's pool, whose threads hold the sockets of webhooks and tools, which a check would
 * stop. It starts with the first check that needs it, and ends when none has for a minute.
 */
export class InputChecker {
  readonly #piscina: Piscina<CheckTask, CheckResult>;
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** Schemas as text, each with the time on `Clock.monotonic` until which it is refused. Not kept in the worker, which may die of one. */
  readonly #resting = new LRUCache<string, number>({ max: maxResting });
  #waiting = 0;
  /** Ends with the last check. One begins after the other has ended, so that it is refused if the other has made its schema rest. */
  #last: Promise<unknown> = Promise.resolve();
  /** Of the current check. Aborted when the worker dies before it has taken the check: Piscina emits `error` and would let the check wait. */
  #current = new AbortController();

  /** @param worker the code of the thread; default: input.worker.ts */
  constructor(
    worker: URL = new URL('./input.worker.ts', import.meta.url),
    clock: Pick<Clock, 'monotonic'> = systemClock,
  ) {
    this.#clock = clock;
    this.#piscina = new Piscina<CheckTask, CheckResult>({
      filename: worker.href,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: 60_000,
      resourceLimits: { maxOldGenerationSizeMb: 128 },
      execArgv: [],
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    this.#piscina.on('error', () => this.#current.abort());
  }

  /** Rejects when the schema cannot be used, the worker cannot run, or too many checks wait. */
  check(task: CheckTask): Promise<CheckResult> {
    if (this.#waiting >= maxWaiting) return Promise.reject(new Error('too many checks are waiting'));
    this.#waiting++;
    const check = this.#last.then(() => this.#checkUnlessResting(task));
    this.#last = check.then(
      () => this.#waiting--,
      () => this.#waiting--,
    );
    return check;
  }

  async #checkUnlessResting(task: CheckTask): Promise<CheckResult> {
    const { schema } = task;
    if ((this.#resting.get(schema) ?? 0) > this.#clock.monotonic()) return undefined;
    const result = await this.#checkInWorker(task);
    if (result === undefined) this.#resting.set(schema, this.#clock.monotonic() + restMs);
    return result;
  }

  async #checkInWorker(task: CheckTask): Promise<CheckResult> {
    this.#current = new AbortController();
    try {
      return await this.#piscina.run(task, { signal: this.#current.signal });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') return undefined;
      throw error;
    }
  }

  /** Ends the thread. */
  close(): Promise<void> {
    return this.#piscina.destroy();
  }
}

let checker: InputChecker | undefined;

/** Why the tool cannot be called with this, for the model; undefined where it can. A null schema takes every object. */
export async function findInputFault(
  schema: Readonly<Record<string, unknown>> | null,
  input: unknown,
): Promise<string | undefined> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return 'the arguments are not a JSON object';
  }
  const unfit = findUnstorable(input);
  if (unfit !== undefined) return describeIssues(unfit);
  const json = JSON.stringify(input);
  if (Buffer.byteLength(json) > largestArguments) {
    return `the arguments are too large: more than ${largestArguments / 1_024} KiB`;
  }
  if (schema === null) return undefined;
  let issues: CheckResult;
  try {
    const text = JSON.stringify(schema);
    const isQuick = text.length * json.length <= harmless && !risky.test(text);
    issues = isQuick
      ? schemaIssues(schema, input)
      : await (checker ??= new InputChecker()).check({ schema: text, input: json });
  } catch {
    // The schema refers to something that does not exist, or the thread cannot run.
    issues = undefined;
  }
  // The mistake of the tool's owner, and nothing was checked.
  if (issues === undefined) return "the tool's inputSchema cannot be used to check the arguments";
  return issues.length === 0 ? undefined : describeIssues(issues);
}

function describeIssues(issues: readonly Issue[]): string {
  const problems = issues.slice(0, maxReportedIssues).map(({ path, message }) => `${path || '/'} ${message}`);
  return `the arguments do not fit: ${problems.join('; ')}`;
}
