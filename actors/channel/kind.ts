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
  ParkedSeen,
  WorkDone,
  WorkTask,
} from './commands.ts';
import type { CredentialServices } from './credentials.ts';
import {
  acknowledge,
  announceTemplate,
  applyParked,
  create,
  markRead as decideMarkRead,
  park,
  parkedSeen,
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
import { reopenWebhook, work, worked } from './decide-work.ts';
import { fetchFiles, type FileServices } from './files.ts';
import { InFlight } from './in-flight.ts';
import { lookAtConnection } from './look.ts';
import { markRead } from './mark-read.ts';
import { Pacer } from './pacer.ts';
import { applyReceipts } from './receipts.ts';
import { type SendServices, type SendTask, workThroughSends } from './send.ts';
import { blankChannel, type ChannelState, type Work } from './state.ts';
import { ChannelTurns } from './turns.ts';
import type { WebhookServices } from './webhook-task.ts';
import { workThroughWebhooks } from './webhooks.ts';

/** What the node gives to the tasks of channels: for parked receipts, for each sort of work, and for asking the provider. */
export interface ChannelServices extends WebhookServices, CredentialServices, SendServices, FileServices {
  readonly db: FileServices['db'];
  readonly media: FileServices['media'] & SendServices['media'];
  readonly vault: Pick<Vault, 'open' | 'seal'>;
  readonly random: Random;
  /** Default: of this kind alone. */
  readonly turns?: ChannelTurns;
  /** Mails the owners of the channel; a notice that is given again is mailed once. */
  readonly notifyOwners: (notice: ChannelNotice) => Promise<void>;
}

/** Does some of the channel's work, for some seconds at most: a node that drains waits for its tasks. */
type Worker = (services: TaskServices, channelId: string) => Promise<Omit<WorkDone, 'work'>>;

type TaskServices = ChannelServices &
  Pick<TaskContext, 'ask' | 'now'> &
  Pick<SendTask, 'pacer' | 'inFlight' | 'reports'> & {
    readonly turns: ChannelTurns;
    readonly projectId: string;
  };

/** How long a task tries again to apply parked receipts, in milliseconds: their reminder comes again after that. */
const parkedRetryMs = 60_000;

const workers: Readonly<Record<Work, Worker>> = {
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
    // Each task waits for a turn by itself, fairly, or ends at once if there is no room (turns.ts): what it was for is rows. A channel waits
    // for the report of its task, so none may be dropped.
    tasksAtOnce: Infinity,
    decide: {
      create: keepReply(create),
      update,
      acknowledge: keepReply(acknowledge),
      park: keepReply(park),
      applyParked,
      parkedSeen,
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
      reopenWebhook,
    },
    tasks: createTasks(services),
  });
}

function createTasks(services: ChannelServices): NonNullable<AnyActorKind['tasks']> {
  const { draining, turns = new ChannelTurns() } = services;
  const retryPolicy = new RetryPolicy(services);
  draining.addEventListener('abort', () => retryPolicy.stop(), { once: true });
  const pacer = new Pacer();
  /** Skips the task if there is no room: its reminder comes again, and a mark is made at once or never. */
  const inTurn = <Payload>(task: (payload: Payload, context: TaskContext) => Promise<void>) =>
    retryPolicy.guard((payload: Payload, context) =>
      turns.others.runOrSkip(context.self.id, draining, () => task(payload, context)),
    );
  return {
    applyParked: inTurn(createParkedTask(services, retryPolicy)),
    lookAtCredentials: inTurn(async (_payload: unknown, context) => {
      const { self, now } = context;
      await lookAtConnection({ ...services, ask: context.ask.bind(context), now }, self.id);
    }),
    tellOwners: inTurn(async (notice: ChannelNotice, context) => {
      await services.notifyOwners(notice);
      await context.ask(context.self, 'ownersTold', { eventId: notice.eventId } satisfies OwnersTold);
    }),
    markRead: inTurn(async (mark: MarkRead, context) => {
      const { self, now } = context;
      await markRead({ ...services, pacer, now, ask: context.ask.bind(context) }, self.id, mark);
    }),
    work: createWorkTask(services, retryPolicy, { turns, pacer }),
  };
}

/** The task `work`. It ends at once if there is no room for it on the node. */
function createWorkTask(
  services: ChannelServices,
  retryPolicy: RetryPolicy,
  { turns, pacer }: Pick<TaskServices, 'turns' | 'pacer'>,
) {
  const { draining } = services;
  const inFlights: Readonly<Record<Work, InFlight>> = {
    webhooks: new InFlight(),
    sends: new InFlight(),
    files: new InFlight(),
  };
  return retryPolicy.guard(async ({ work: sort, projectId }: WorkTask, context) => {
    const { self, now } = context;
    const ask = context.ask.bind(context);
    const inFlight = inFlights[sort];
    let done: Omit<WorkDone, 'work'> = { hasMore: false };
    try {
      const db = turns.share(services.db, projectId);
      const reports = services.db;
      const task = { ...services, db, reports, turns, projectId, pacer, inFlight, ask, now };
      await turns.tasks[sort].runOrSkip(projectId, draining, async () => {
        done = await workers[sort](task, self.id);
      });
    } catch (err) {
      // The database is away, or the node drains: the recovery scanner comes back to it.
      const level = draining.aborted ? 'debug' : 'warn';
      services.log[level]({ err, channelId: self.id, work: sort }, 'work of a channel waits');
    }
    const ended: WorkDone = { work: sort, ...done };
    // Nothing else tells the channel, which begins no task of this sort before it knows. What the task did is not repeated with it.
    await retryPolicy.retry('a channel does not know yet that its task has ended', () =>
      ask(self, 'worked', ended),
    );
    // A node that drains waits for its tasks, and so for what is in flight. What that has held back may follow then. The turn is over.
    await inFlight.awaitAll(self.id, async () => {
      if (draining.aborted) return;
      try {
        await ask(self, 'work', { work: sort } satisfies DoWork);
      } catch (err) {
        services.log.debug({ err, channelId: self.id, work: sort }, 'work of a channel waits');
      }
    });
  });
}

/** The task `applyParked`. Its reminder comes again until the receipt is applied, or refused for good. */
function createParkedTask({ db, log }: ChannelServices, retryPolicy: RetryPolicy) {
  return async ({ recheck, ...parked }: ParkedReceipt & ParkedSeen, context: TaskContext): Promise<void> => {
    const { self, now } = context;
    const asking = { db, ask: context.ask.bind(context) };
    const report = { ...parked, channelId: self.id, receipts: [], author: systemActor };
    const until = now() + parkedRetryMs;
    const isFinal = (error: unknown): boolean => isRefusal(error) || now() >= until;
    const end = () => asking.ask(self, 'parkedSeen', { recheck } satisfies ParkedSeen);
    try {
      await retryPolicy.retry('a parked receipt waits', () => applyReceipts(asking, report), isFinal);
    } catch (err) {
      if (isRefusal(err)) {
        // A dead letter stands for it from here on.
        await end();
        throw err;
      }
      log.info({ err, channelId: self.id }, 'a parked receipt waits for its reminder');
      return;
    }
    await end();
  };
}
