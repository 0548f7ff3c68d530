/**
 * Checks what a model wants to pass to a tool against the tool's `inputSchema`. The schema is a customer's: it is interpreted and
 * never compiled to code. What cannot take long is checked at once; everything else is checked in a worker thread, with a limit on
 * its work (input.worker.ts), so that a hostile schema does not hold up the event loop and a busy machine does not fail a sound one.
 */
import { setMaxListeners } from 'node:events';
import { Piscina } from 'piscina';
import type { Issue } from '../../../protocol/errors.ts';
import { largestArguments } from '../../../protocol/resources/index.ts';
import { findUnstorable } from '../../../protocol/validate.ts';
import { schemaIssues } from './schema-issues.ts';

/**
 * Characters of the schema times those of the arguments. Up to 85 ns for each were measured (many constants in `anyOf`, tried for
 * every item of a list): what stays below takes less than 10 ms, and needs no limit.
 */
const harmless = 100_000;
/** What may take for ever however small it is: a pattern keeps a short text busy for years, references branch. */
const risky = /"(?:pattern|patternProperties|\$ref|\$dynamicRef|\$recursiveRef)"/;
/** Problems that are told. */
const mostTold = 5;

/** What is checked in the worker thread, as JSON. */
export interface CheckTask {
  readonly schema: string;
  readonly input: string;
}

/** `undefined`: the check took too much work, now or a moment ago. */
export type CheckResult = readonly Issue[] | undefined;

/** Checks that may wait for the worker at once. Runs are limited, and so are tests of tools: nobody honest meets this. */
const maxWaiting = 1_000;

/**
 * A worker thread for checks. It is not one of the node's pool, whose threads hold the sockets of webhooks and tools, which a check would
 * stop. It starts with the first check that needs it, and ends when none has for a minute.
 */
export class InputChecker {
  readonly #piscina: Piscina<CheckTask, CheckResult>;
  /** Aborted when the worker dies without a task. Piscina then emits `error` and leaves the tasks that wait as they are. */
  #worker = new AbortController();

  /** @param worker the code of the thread; default: input.worker.ts */
  constructor(worker: URL = new URL('./input.worker.ts', import.meta.url)) {
    this.#piscina = new Piscina<CheckTask, CheckResult>({
      filename: worker.href,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: 60_000,
      resourceLimits: { maxOldGenerationSizeMb: 128 },
      execArgv: [],
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    this.#piscina.on('error', () => {
      this.#worker.abort();
      this.#worker = new AbortController();
    });
  }

  /** Rejects when the schema cannot be used, the worker cannot run, or too many checks wait. */
  check(task: CheckTask): Promise<CheckResult> {
    if (this.#piscina.queueSize >= maxWaiting)
      return Promise.reject(new Error('too many checks are waiting'));
    const { signal } = this.#worker;
    setMaxListeners(0, signal);
    return this.#piscina.run(task, { signal });
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
    // The schema refers to something that does not exist, its check took all the memory of the thread, or the thread cannot run.
    issues = undefined;
  }
  // The mistake of the tool's owner, and nothing was checked.
  if (issues === undefined) return "the tool's inputSchema cannot be used to check the arguments";
  return issues.length === 0 ? undefined : describeIssues(issues);
}

function describeIssues(issues: readonly Issue[]): string {
  const problems = issues.slice(0, mostTold).map(({ path, message }) => `${path || '/'} ${message}`);
  return `the arguments do not fit: ${problems.join('; ')}`;
}
