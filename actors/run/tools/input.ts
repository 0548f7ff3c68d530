/**
 * Checks what a model wants to pass to a tool against the tool's `inputSchema`. The schema is a customer's: it is interpreted and
 * never compiled to code, and has a time limit unless it cannot take long. The limit is kept by `vm`, which can end even a regular
 * expression in the middle; the event loop stands still meanwhile, so that each such check has a turn of it for itself.
 */
import { createContext, Script } from 'node:vm';
import { Check, Errors } from 'typebox/schema';
import type { Issue } from '../../../protocol/errors.ts';
import { largestArguments } from '../../../protocol/resources/tool.ts';
import { unstorable } from '../../../protocol/text.ts';

/** For one check. A schema that took longer, twice, is not tried again for a while. */
const longestMs = 20;
const restMs = 60_000;
const mostResting = 1_000;
/**
 * Characters of the schema times those of the arguments. Up to 85 ns for each were measured (many constants in `anyOf`, tried for
 * every item of a list): what stays below takes less than 10 ms, and does without the watch.
 */
const harmless = 100_000;
/** What may take for ever however small it is: a pattern keeps a short text busy for years, references branch. */
const risky = /"(?:pattern|patternProperties|\$ref|\$dynamicRef|\$recursiveRef)"/;
/** Problems that are told. */
const mostTold = 5;

interface Room {
  check?: () => void;
}

const room: Room = {};
const context = createContext(room);
const script = new Script('check()');

/** The schemas that took too long, as text, and until when they rest, by the process's own time. */
const resting = new Map<string, number>();

/** The turn of the event loop that the last check of those that wait for one will have. */
let lastTurn = Promise.resolve();

/** Why the tool cannot be called with this, for the model; undefined where it can. A null schema takes every object. */
export async function faultInInput(
  schema: Readonly<Record<string, unknown>> | null,
  input: unknown,
): Promise<string | undefined> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return 'the arguments are not a JSON object';
  }
  const unfit = unstorable(input);
  if (unfit !== undefined) return told(unfit);
  const json = JSON.stringify(input);
  if (Buffer.byteLength(json) > largestArguments) {
    return `the arguments are too large: more than ${largestArguments / 1_024} KiB`;
  }
  if (schema === null) return undefined;
  let issues: readonly Issue[] = [];
  const check = (): void => {
    // The faults of alternatives of which another fits are costly to make, and of no use.
    if (Check(schema, input)) return;
    const [, errors] = Errors(schema, input);
    issues = errors.map(({ instancePath, message, keyword }) => ({
      path: instancePath,
      message,
      code: keyword,
    }));
  };
  try {
    const text = JSON.stringify(schema);
    if (text.length * json.length <= harmless && !risky.test(text)) check();
    else await inTime(text, check);
  } catch {
    // It takes too long, or it refers to what is not there: the owner's mistake, and nothing was checked.
    return "the tool's inputSchema cannot be used to check the arguments";
  }
  return issues.length === 0 ? undefined : told(issues);
}

/** Rejects when the time is over, twice: once may be a machine that was busy with something else. */
async function inTime(text: string, check: () => void): Promise<void> {
  for (const isLast of [false, true]) {
    await nextTurn();
    if ((resting.get(text) ?? 0) > performance.now()) throw new Error('it took too long a moment ago');
    try {
      watched(check);
      return;
    } catch (error) {
      if (!isLast) continue;
      if (resting.size >= mostResting) resting.clear();
      resting.set(text, performance.now() + restMs);
      throw error;
    }
  }
}

function nextTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => new Promise(resolve => setImmediate(resolve)));
  return lastTurn;
}

/** Throws when the time is over. */
function watched(check: () => void): void {
  room.check = check;
  try {
    script.runInContext(context, { timeout: longestMs });
  } finally {
    delete room.check;
  }
}

function told(issues: readonly Issue[]): string {
  const problems = issues.slice(0, mostTold).map(({ path, message }) => `${path || '/'} ${message}`);
  return `the arguments do not fit: ${problems.join('; ')}`;
}
