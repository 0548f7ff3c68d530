/**
 * A node of the runtime. `Node` takes commands (`ask`, `tell`): its `LocalShards` find or load the actor when it lives here, the
 * `Router` sends the command to another node when it does not. `Reminders` turn due rows into commands, and idle actors leave memory
 * (activation-table.ts).
 */
export type { BusyActor } from './local-shards.ts';
export { type AskOptions, Node } from './node.ts';
