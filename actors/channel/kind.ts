/** The kind `channel`: everything about it, in one place. */
import { actor, type ActorKind } from '../../runtime/actor.ts';
import type { Database } from '../../storage/database.ts';
import type { Write } from '../../storage/writes.ts';
import { system } from '../system-actor.ts';
import type { ChannelCommands, ParkedReceipt } from './commands.ts';
import { create, setStatus, update } from './decide.ts';
import { acknowledge, applyParked, park } from './decide-receipts.ts';
import { applyReceipts } from './receipts.ts';
import { blankChannel, type ChannelState } from './state.ts';

/** @param db for the task that looks for the messages of parked receipts */
export function channelKind(db: Pick<Database, 'query'>): ActorKind<ChannelState, ChannelCommands, Write> {
  return actor<ChannelState, ChannelCommands, Write>({
    kind: 'channel',
    blank: blankChannel,
    decide: { create, update, setStatus, acknowledge, park, applyParked },
    tasks: {
      applyParked: async (parked: ParkedReceipt, context) => {
        await applyReceipts(
          { db, ask: context.ask.bind(context) },
          { ...parked, channelId: context.self.id, author: system },
        );
      },
    },
  });
}
