import type { RunCommands } from '../run/commands.ts';
import type { Draft } from './draft.ts';

/** What a thread says to a run: durably, so that no crash leaves a run without it. */
type Told = 'begin' | 'judged' | 'settleSuggestion' | 'cancel';

/** Tells the run with the thread's commit. Each is said once to a run, and is its own reminder. */
export function tellRun<Name extends Told>(
  draft: Draft,
  agentRunId: string,
  command: Name,
  payload: RunCommands[Name]['payload'],
): void {
  draft.remind({ key: command, at: draft.now, to: { kind: 'run', id: agentRunId }, command, payload });
}
