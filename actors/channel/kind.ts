/** Declares the actor kind `channel`: its decisions and its task. */
import { actor, type ActorKind } from '../../runtime/actor/index.ts';
import type { Database } from '../../storage/database/index.ts';
import type { Write } from '../../storage/statements/index.ts';
import { keepReply, systemActor } from '../base/index.ts';
import type { ChannelCommands, ParkedReceipt } from './commands.ts';
import { create, setStatus, update, acknowledge, applyParked, park } from './decide.ts';
import { applyReceipts } from './receipts.ts';
import { blankChannel, type ChannelState } from './state.ts';

/** @param db where the task looks for the messages of parked receipts */
export function createChannelKind(
  db: Pick<Database, 'query'>,
): ActorKind<ChannelState, ChannelCommands, Write> {
  return actor<ChannelState, ChannelCommands, Write>({
    kind: 'channel',
    initialState: blankChannel,
    decide: {
      create: keepReply(create),
      update,
      setStatus,
      acknowledge: keepReply(acknowledge),
      park: keepReply(park),
      applyParked,
    },
    tasks: {
      applyParked: async (parked: ParkedReceipt, context) => {
        await applyReceipts(
          { db, ask: context.ask.bind(context) },
          { ...parked, channelId: context.self.id, author: systemActor },
        );
      },
    },
  });
}
