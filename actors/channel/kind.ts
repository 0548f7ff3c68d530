/** Declares the actor kind `channel`: its decisions and its tasks. */
import {
  actor,
  type ActorKind,
  type AnyActorKind,
  isRefusal,
  type TaskContext,
} from '../../runtime/actor/index.ts';
import type { Random } from '../../runtime/time/index.ts';
import type { Write } from '../../storage/statements/index.ts';
import type { Vault } from '../../storage/secrets/index.ts';
import { keepReply, RetryPolicy, systemActor } from '../base/index.ts';
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
  readonly random: Random;
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
    // A task lasts as long as the slowest message or file that it has begun: webhooks of other channels must not have to wait for that. A
    // channel has one task at work and one that waits, of each sort; statements, messages and files have limits of their own.
    tasksAtOnce: 4_096,
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
  const retryPolicy = new RetryPolicy(services);
  services.draining.addEventListener('abort', () => retryPolicy.stop(), { once: true });
  const pacer = new Pacer();
  const inFlights: Readonly<Record<Work, InFlight>> = {
    webhooks: new InFlight(),
    sends: new InFlight(),
    files: new InFlight(),
  };
  return {
    // Its reminder is over, and does not come again.
    applyParked: retryPolicy.guard(async (parked: ParkedReceipt, context) => {
      const asking = { db: services.db, ask: context.ask.bind(context) };
      const report = { ...parked, channelId: context.self.id, receipts: [], author: systemActor };
      await retryPolicy.retry('a parked receipt waits', () => applyReceipts(asking, report), isRefusal);
    }),
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
    work: retryPolicy.guard(async ({ work: sort }: DoWork, context) => {
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
      const ended: WorkDone = { work: sort, ...done };
      // Nothing else tells the channel, which begins no task of this sort before it knows. What the task did is not repeated with it.
      await retryPolicy.retry('a channel does not know yet that its task has ended', () =>
        ask(self, 'worked', ended),
      );
      // A node that drains waits for its tasks, and so for what is on its way. What that has held back may follow then.
      await inFlight.awaitAll(self.id, async () => {
        if (services.draining.aborted) return;
        try {
          await ask(self, 'work', { work: sort } satisfies DoWork);
        } catch (err) {
          services.log.debug({ err, channelId: self.id, work: sort }, 'work of a channel waits');
        }
      });
    }),
  };
}
