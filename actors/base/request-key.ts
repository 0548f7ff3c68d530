/**
 * The idempotency key of a request that an actor does the work of. The key's row is written with the commit of the command, and keeps its
 * reply: whatever becomes of the caller, the node or the answer, a repetition finds both or neither.
 */
import type { Decision, Turn } from '../../runtime/actor/index.ts';
import type { Write } from '../../storage/statements/index.ts';
import { rememberKey, type RequestKey } from '../../storage/writes/index.ts';

/** A command of a request. Without a key the request is never repeated, or somebody else gives the command. */
export interface Keyed {
  readonly key?: RequestKey;
}

/**
 * The decision with its reply kept under the command's key. A decision that changes nothing gets a commit by this, too.
 *
 * @param toKept what is kept in place of the reply. Undefined: the work is not done yet, and the key stays free for the next try
 */
export function keepReply<State, Command extends Keyed, Reply>(
  decide: (state: State, command: Command, turn: Turn) => Decision<State, Reply, Write>,
  toKept: (reply: Reply, command: Command, turn: Turn) => unknown = reply => reply,
): (state: State, command: Command, turn: Turn) => Decision<State, Reply, Write> {
  return (state, command, turn) => {
    const decision = decide(state, command, turn);
    const { key } = command;
    if (key === undefined) return decision;
    const kept = toKept(decision.reply, command, turn);
    if (kept === undefined) return decision;
    // A reply that is a text is JSON already.
    const body = kept === null || typeof kept === 'string' ? kept : JSON.stringify(kept);
    return { ...decision, writes: [...(decision.writes ?? []), rememberKey(key, { body })] };
  };
}
