/** The kind `thread`: everything about it, in one place. */
import { actor, type ActorKind } from '../../runtime/actor.ts';
import type { Write } from '../../storage/writes.ts';
import { familyOf } from '../shard-key.ts';
import type { ThreadCommands } from './commands.ts';
import { callAgent, dropCall, noteTyping, openRun, runOver } from './decide-agent.ts';
import { takeAnswer } from './decide-answer.ts';
import { assign } from './decide-assignment.ts';
import { erase } from './decide-erasure.ts';
import { create, receive } from './decide-inbound.ts';
import { addNote, editNote, removeNote } from './decide-notes.ts';
import { checkSend, send } from './decide-outbound.ts';
import { recordReceipts } from './decide-receipts.ts';
import { resolveSuggestion } from './decide-suggestion.ts';
import { update } from './decide-update.ts';
import { expireWindow, lookAtWindow } from './decide-window.ts';
import { blankThread, type ThreadState } from './state.ts';
import { summoner, type SummonerServices } from './summoner.ts';

/** Declares the kind with what its task works with. */
export function threadKind(services: SummonerServices): ActorKind<ThreadState, ThreadCommands, Write> {
  return actor<ThreadState, ThreadCommands, Write>({
    kind: 'thread',
    blank: blankThread,
    shardKey: familyOf,
    decide: {
      ...{ create, receive, send, checkSend, update, assign, addNote, editNote, removeNote },
      ...{ recordReceipts, lookAtWindow, expireWindow, erase },
      ...{ callAgent, dropCall, openRun, takeAnswer, runOver, resolveSuggestion, noteTyping },
    },
    tasks: { summon: summoner(services) },
  });
}
