/** The kind `thread`: everything about it, in one place. */
import { actor } from '../../runtime/actor.ts';
import type { Write } from '../../storage/writes.ts';
import { familyOf } from '../shard-key.ts';
import type { ThreadCommands } from './commands.ts';
import { assign } from './decide-assignment.ts';
import { erase } from './decide-erasure.ts';
import { create, receive } from './decide-inbound.ts';
import { addNote, editNote, removeNote } from './decide-notes.ts';
import { checkSend, send } from './decide-outbound.ts';
import { recordReceipts } from './decide-receipts.ts';
import { update } from './decide-update.ts';
import { expireWindow, lookAtWindow } from './decide-window.ts';
import { blankThread, type ThreadState } from './state.ts';

export const thread = actor<ThreadState, ThreadCommands, Write>({
  kind: 'thread',
  blank: blankThread,
  shardKey: familyOf,
  decide: {
    ...{ create, receive, send, checkSend, update, assign, addNote, editNote, removeNote },
    ...{ recordReceipts, lookAtWindow, expireWindow, erase },
  },
});
