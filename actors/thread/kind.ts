/** Declares the actor kind `thread`: its decisions and its task. */
import { actor, type ActorKind } from '../../runtime/actor/index.ts';
import type { Write } from '../../storage/statements/index.ts';
import { toShardKey } from '../../protocol/ids.ts';
import { keepReply } from '../base/index.ts';
import type { ThreadCommands } from './commands.ts';
import { settleAttachment } from './decide-attachment.ts';
import { callAgent, dropCall, noteTyping, openRun, runOver, toKeptRun } from './decide-agent.ts';
import { takeAnswer } from './decide-answer.ts';
import { expireSuggestion, resolveSuggestion, toKeptSuggestion } from './decide-suggestion.ts';
import { assign, assignAutomatically, erase, retag, update } from './decide-update.ts';
import { create, receive } from './decide-inbound.ts';
import { addNote, editNote, removeNote } from './decide-notes.ts';
import { checkSend, send } from './decide-outbound.ts';
import { recordReceipts, toKeptOutcome } from './decide-receipts.ts';
import { lookAtFreeEntry } from './free-entry.ts';
import { expireWindow, lookAtWindow } from './service-window.ts';
import { wake } from './snooze.ts';
import { blankThread, type ThreadState } from './state.ts';
import { createAgentDispatcher, type AgentDispatcherServices } from './agent-dispatcher.ts';

/** @param services what the task works with */
export function createThreadKind(
  services: AgentDispatcherServices,
): ActorKind<ThreadState, ThreadCommands, Write> {
  return actor<ThreadState, ThreadCommands, Write>({
    kind: 'thread',
    initialState: blankThread,
    shardKey: toShardKey,
    decide: {
      create,
      receive,
      send,
      checkSend,
      update: keepReply(update, () => null),
      retag: keepReply(retag, () => null),
      assign: keepReply(assign, () => null),
      assignAutomatically,
      erase,
      addNote: keepReply(addNote),
      editNote,
      removeNote,
      recordReceipts: keepReply(recordReceipts, toKeptOutcome),
      settleAttachment,
      lookAtWindow,
      lookAtFreeEntry,
      wake,
      expireWindow: keepReply(expireWindow),
      callAgent,
      dropCall,
      openRun: keepReply(openRun, toKeptRun),
      takeAnswer,
      runOver,
      resolveSuggestion: keepReply(resolveSuggestion, toKeptSuggestion),
      expireSuggestion,
      noteTyping,
    },
    tasks: { dispatchAgent: createAgentDispatcher(services) },
  });
}
