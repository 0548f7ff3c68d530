/** Declares the actor kind `channel`: its decisions and its tasks. */
import { actor, type ActorKind } from '../../runtime/actor/index.ts';
import type { Write } from '../../storage/statements/index.ts';
import { keepReply, systemActor } from '../base/index.ts';
import type { ChannelCommands, ParkedReceipt } from './commands.ts';
import { create, update, acknowledge, applyParked, park, webhooksWorked, workWebhooks } from './decide.ts';
import {
  beginConnect,
  completeConnect,
  disconnect,
  expireConnect,
  failConnect,
  settleDisconnect,
} from './decide-connection.ts';
import { applyReceipts } from './receipts.ts';
import { blankChannel, type ChannelState } from './state.ts';
import { workThroughWebhooks, type WebhookServices } from './webhooks.ts';

/** @param services what the tasks need: for parked receipts, and for what the provider sends */
export function createChannelKind(
  services: WebhookServices,
): ActorKind<ChannelState, ChannelCommands, Write> {
  return actor<ChannelState, ChannelCommands, Write>({
    kind: 'channel',
    initialState: blankChannel,
    decide: {
      create: keepReply(create),
      update,
      acknowledge: keepReply(acknowledge),
      park: keepReply(park),
      applyParked,
      beginConnect,
      completeConnect: keepReply(completeConnect),
      failConnect,
      expireConnect,
      disconnect: keepReply(disconnect),
      settleDisconnect,
      workWebhooks,
      webhooksWorked,
    },
    tasks: {
      applyParked: async (parked: ParkedReceipt, context) => {
        await applyReceipts(
          { db: services.db, ask: context.ask.bind(context) },
          { ...parked, channelId: context.self.id, author: systemActor },
        );
      },
      workWebhooks: async (_payload: unknown, context) => {
        const { self, now } = context;
        const ask = context.ask.bind(context);
        let hasMore = false;
        try {
          hasMore = await workThroughWebhooks({ ...services, ask, now }, self.id);
        } catch (err) {
          // The database is away: the recovery scanner comes back to them.
          services.log.warn(
            { err, channelId: self.id },
            'webhooks of the chat provider wait for the database',
          );
        }
        await ask(self, 'webhooksWorked', { hasMore });
      },
    },
  });
}
