/**
 * Checks what a model wants to pass to a tool against the tool's `inputSchema`. The schema is a customer's: it is interpreted and
 * never compiled to code. Where it could take long (a pattern that a short text keeps busy for years, references that branch, sheer
 * size) it has a time limit, kept by `vm`, which can end even a regular expression in the middle.
 */
import { createContext, Script } from 'node:vm';
import { Errors } from 'typebox/schema';
import type { Issue } from '../../../protocol/errors.ts';
import { unstorable } from '../../../protocol/text.ts';

/** For one check. The event loop stands still for as long; so a schema that took longer is not tried again for a while. */
const longestMs = 100;
const restMs = 60_000;
const mostResting = 1_000;
/** The watch costs 0.9 ms: a schema of at most so many characters that has none of these does without it. */
const harmlessLength = 20_000;
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

/** Why the tool cannot be called with this, for the model; undefined where it can. A null schema takes every object. */
export function faultInInput(
  schema: Readonly<Record<string, unknown>> | null,
  input: unknown,
): string | undefined {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return 'the arguments are not a JSON object';
  }
  const unfit = unstorable(input);
  if (unfit !== undefined) return told(unfit);
  if (schema === null) return undefined;
  let issues: readonly Issue[] = [];
  const check = (): void => {
    const [fits, errors] = Errors(schema, input);
    if (!fits) {
      issues = errors.map(({ instancePath, message, keyword }) => ({
        path: instancePath,
        message,
        code: keyword,
      }));
    }
  };
  try {
    const text = JSON.stringify(schema);
    if (text.length <= harmlessLength && !risky.test(text)) check();
    else inTime(text, check);
  } catch {
    // It takes too long, or it refers to what is not there: the owner's mistake, and nothing was checked.
    return "the tool's inputSchema cannot be used to check the arguments";
  }
  return issues.length === 0 ? undefined : told(issues);
}

/** Throws when the time is over. */
function inTime(text: string, check: () => void): void {
  if ((resting.get(text) ?? 0) > performance.now()) throw new Error('it took too long a moment ago');
  room.check = check;
  try {
    script.runInContext(context, { timeout: longestMs });
  } catch (error) {
    if (resting.size >= mostResting) resting.clear();
    resting.set(text, performance.now() + restMs);
    throw error;
  } finally {
    delete room.check;
  }
}

function told(issues: readonly Issue[]): string {
  const problems = issues.slice(0, mostTold).map(({ path, message }) => `${path || '/'} ${message}`);
  return `the arguments do not fit: ${problems.join('; ')}`;
}
