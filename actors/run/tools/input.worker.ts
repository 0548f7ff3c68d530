/**
 * The code of the thread that checks arguments against the schemas of tools (input.ts). A check that has used its share of processor
 * time is ended, be it in the middle of a regular expression: `vm` can do that. `vm` itself only knows the time by the clock, in
 * which a thread of a busy machine may have done nothing. So the thread's processor time decides: with less than its share, the check
 * is made again with twice as much time.
 */
import { createContext, Script } from 'node:vm';
import type { Issue } from '../../../protocol/errors.ts';
import type { CheckResult, CheckTask } from './input.ts';
import { schemaIssues } from './schema-issues.ts';

/** Processor time of one check, in milliseconds. Checks of sound schemas take less than one. */
const maxWorkMs = 50;
/** By the clock, for the first try: on an idle machine, twice the share. */
const firstTryMs = 100;

const room: { check?: () => void } = {};
const context = createContext(room);
const script = new Script('check()');

/** Undefined: the check took too much work. Throws when the schema cannot be used. */
export default function check(task: CheckTask): CheckResult {
  const schema = JSON.parse(task.schema) as Readonly<Record<string, unknown>>;
  const input: unknown = JSON.parse(task.input);
  let issues: Issue[] = [];
  room.check = () => void (issues = schemaIssues(schema, input));
  for (let timeout = firstTryMs; ; timeout *= 2) {
    const before = process.threadCpuUsage();
    try {
      script.runInContext(context, { timeout });
      return issues;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      const { user, system } = process.threadCpuUsage(before);
      if ((user + system) / 1_000 >= maxWorkMs) return undefined;
    }
  }
}
