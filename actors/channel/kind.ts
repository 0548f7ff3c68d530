/** Declares the actor kind `channel`: its decisions and its tasks. */
import { actor, type ActorKind, type AnyActorKind, type TaskContext } from '../../runtime/actor/index.ts';
import type { Write } from '../../storage/statements/index.ts';
import type { Vault } from '../../storage/secrets/index.ts';
import { keepReply, systemActor } from '../base/index.ts';
import type {
  ChannelCommands,
  ChannelNotice,
  DoWork,
  MarkRead,
  OwnersTold,
  ParkedReceipt,
  WorkDone,
} from './commands.ts';
import type { CredentialServices } from './credentials.ts';
import {
  acknowledge,
  announceTemplate,
  applyParked,
  create,
  markRead as decideMarkRead,
  park,
  update,
} from './decide.ts';
import {
  beginConnect,
  completeConnect,
  disconnect,
  expireConnect,
  failConnect,
  loseConnection,
  reserveNumber,
  settleDisconnect,
} from './decide-connection.ts';
import { credentialsSeen, lookAtCredentials, ownersTold, tellOwners } from './decide-credentials.ts';
import { work, worked } from './decide-work.ts';
import { fetchFiles, type FileServices } from './files.ts';
import { InFlight } from './in-flight.ts';
import { lookAtConnection } from './look.ts';
import { markRead } from './mark-read.ts';
import { Pacer } from './pacer.ts';
import { applyReceipts } from './receipts.ts';
import { type SendServices, workThroughSends } from './send.ts';
import { blankChannel, type ChannelState, type Work } from './state.ts';
import type { WebhookServices } from './webhook-task.ts';
import { workThroughWebhooks } from './webhooks.ts';

/** What the node gives to the tasks of channels: for parked receipts, for each sort of work, and for asking the provider. */
export interface ChannelServices extends WebhookServices, CredentialServices, SendServices, FileServices {
  readonly db: FileServices['db'];
  readonly media: FileServices['media'] & SendServices['media'];
  readonly vault: Pick<Vault, 'open' | 'seal'>;
  /** Mails the owners of the channel; a notice that is given again is mailed once. */
  readonly notifyOwners: (notice: ChannelNotice) => Promise<void>;
}

/** Does some of the channel's work, for some seconds at most: a node that drains waits for its tasks. */
type Worker = (services: TaskServices, channelId: string) => Promise<Omit<WorkDone, 'work'>>;

type TaskServices = ChannelServices &
  Pick<TaskContext, 'ask' | 'now'> & { readonly pacer: Pacer; readonly inFlight: InFlight };

/** A sort of work that has no worker is never begun. */
const workers: Readonly<Partial<Record<Work, Worker>>> = {
  webhooks: workThroughWebhooks,
  sends: workThroughSends,
  files: fetchFiles,
};

export function createChannelKind(
  services: ChannelServices,
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
      reserveNumber,
      completeConnect: keepReply(completeConnect),
      failConnect,
      expireConnect,
      loseConnection,
      disconnect: keepReply(disconnect),
      settleDisconnect,
      announceTemplate,
      lookAtCredentials,
      credentialsSeen,
      tellOwners,
      ownersTold,
      markRead: decideMarkRead,
      work,
      worked,
    },
    tasks: createTasks(services),
  });
}

function createTasks(services: ChannelServices): NonNullable<AnyActorKind['tasks']> {
  const pacer = new Pacer();
  const inFlights: Readonly<Record<Work, InFlight>> = {
    webhooks: new InFlight(),
    sends: new InFlight(),
    files: new InFlight(),
  };
  return {
    applyParked: async (parked: ParkedReceipt, context) => {
      await applyReceipts(
        { db: services.db, ask: context.ask.bind(context) },
        { ...parked, channelId: context.self.id, receipts: [], author: systemActor },
      );
    },
    lookAtCredentials: async (_payload: unknown, context) => {
      const { self, now } = context;
      await lookAtConnection({ ...services, ask: context.ask.bind(context), now }, self.id);
    },
    tellOwners: async (notice: ChannelNotice, context) => {
      await services.notifyOwners(notice);
      await context.ask(context.self, 'ownersTold', { eventId: notice.eventId } satisfies OwnersTold);
    },
    markRead: async (mark: MarkRead, context) => {
      const { self, now } = context;
      await markRead({ ...services, pacer, now, ask: context.ask.bind(context) }, self.id, mark);
    },
    work: async ({ work: sort }: DoWork, context) => {
      const { self, now } = context;
      const ask = context.ask.bind(context);
      const inFlight = inFlights[sort];
      let done: Omit<WorkDone, 'work'> = { hasMore: false };
      try {
        done = (await workers[sort]?.({ ...services, pacer, inFlight, ask, now }, self.id)) ?? done;
      } catch (err) {
        // The database is away: the recovery scanner comes back to it.
        services.log.warn({ err, channelId: self.id, work: sort }, 'work of a channel waits');
      }
      await ask(self, 'worked', { work: sort, ...done } satisfies WorkDone);
      const begun = inFlight.list(self.id);
      if (begun.length === 0) return;
      // A node that drains waits for its tasks, and so for them. What they have held back may follow now.
      await Promise.all(begun);
      if (!services.draining.aborted) await ask(self, 'work', { work: sort } satisfies DoWork);
    },
  };
}
