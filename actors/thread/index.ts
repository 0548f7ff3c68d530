/**
 * Threads: conversations. The actor kind `thread` (`createThreadKind`, stored by `threadSnapshot`) decides about every message, receipt,
 * note and change of a thread. A command (commands.ts) goes to its decision (decide-*.ts, service-window.ts), which collects the next
 * state, rows and events in a `ThreadDecisionBuilder`. The thread also calls its agent, opens runs and takes their answers
 * (agent-handling.ts, agent-dispatcher.ts).
 */
export {
  type AddNote,
  type AssignAutomatically,
  type AssignThread,
  type CheckSend,
  createIfMissingField,
  type CreateThread,
  type EditNote,
  type EraseThread,
  type ExpireWindow,
  type KeptRun,
  type MessageDetails,
  type NewMessage,
  type OpenedRun,
  type OpenRun,
  type ReceiveMessage,
  type RemoveNote,
  type ResolveSuggestion,
  type SendMessage,
  type ThreadAgentCommands,
  type ThreadChannel,
  type RetagThread,
  type Seen,
  type ThreadChanges,
  type UpdateThread,
} from './commands.ts';
export { agentAloneMs } from './decide-update.ts';
export { toThread } from './json.ts';
export { createThreadKind } from './kind.ts';
export { receiveFromProvider } from './receive-from-provider.ts';
export { decodeThread, type ThreadRow, threadSnapshot } from './snapshot.ts';
export type { ThreadState } from './state.ts';
