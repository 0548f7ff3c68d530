/** Declares the actor kind `stitch`: its decisions, and the tasks that load, send, replay and cancel deliveries. */
import { actor, type ActorKind } from '../../runtime/actor/index.ts';
import type { FairSemaphore } from '../../runtime/admission/index.ts';
import type { Write } from '../../storage/statements/index.ts';
import { keepReply, RetryPolicy } from '../base/index.ts';
import type { StitchCommands } from './commands.ts';
import {
  due,
  loaded,
  postpone,
  probe,
  progress,
  remindDue,
  resume,
  sweep,
  listInFlight,
  wake,
} from './decide-delivery.ts';
import {
  archive,
  cancelled,
  create,
  endGrace,
  rotateSecret,
  toKeptSecret,
  update,
} from './decide-lifecycle.ts';
import { replay, replayPage, replaySpan, test } from './decide-replay.ts';
import { ownerTold, settled } from './decide-results.ts';
import { blankStitch, type StitchState } from './state.ts';
import { BodyCache, SecretCache } from './tasks/caches.ts';
import { createCancelTask, createNotifyTask, createReplayTask } from './tasks/jobs.ts';
import { DeliveryLoader } from './tasks/loader.ts';
import { DeliverySender } from './tasks/sender.ts';
import type { StitchServices } from './services.ts';

/** Bodies that are read ahead of their deliveries on one node, in UTF-16 units. */
const bodyCacheSize = 64 * 1_048_576;

export interface Stitches {
  readonly kind: ActorKind<StitchState, StitchCommands, Write>;
  /** How many requests are in flight. */
  readonly inFlight: number;
  /** Batches of deliveries, and loads, that wait for their turn. */
  readonly turns: Readonly<Record<'batches' | 'loads', Pick<FairSemaphore, 'waiting'>>>;
  /** Before the node drains: nothing new is sent, so that what is in flight can be answered and committed; and nothing is retried. */
  drain(): void;
}

/** @param services what the tasks work with */
export function createStitches(services: StitchServices): Stitches {
  const { db, vault, clock } = services;
  const retryPolicy = new RetryPolicy(services);
  const bodies = new BodyCache(bodyCacheSize, clock);
  const loader = new DeliveryLoader(services, bodies, retryPolicy);
  const sender = new DeliverySender(services, bodies, new SecretCache(vault), retryPolicy);
  const kind = actor<StitchState, StitchCommands, Write>({
    kind: 'stitch',
    initialState: blankStitch,
    onActivate: 'sweep',
    // The stitch waits for the report of each: none may be dropped because too many are queued, nor wait behind those of other stitches, whose
    // receivers may hang. What a task needs it waits for itself, fairly: a turn (tasks/sender.ts, tasks/loader.ts), then the pool. There are no
    // more of them than what the stitches in memory have begun: `maxStarted` deliveries and a load each, and what their rows stand for.
    tasksAtOnce: Infinity,
    decide: {
      create: keepReply(create, toKeptSecret),
      update,
      archive,
      rotateSecret: keepReply(rotateSecret, toKeptSecret),
      endGrace,
      cancelled,
      test: keepReply(test),
      replay: keepReply(replay),
      replaySpan: keepReply(replaySpan),
      replayPage,
      wake,
      sweep,
      resume,
      loaded,
      postpone,
      progress,
      settled,
      ownerTold,
      remindDue,
      due,
      probe,
      underWay: listInFlight,
    },
    tasks: {
      load: retryPolicy.guard(loader.load),
      send: retryPolicy.guard(sender.send),
      replay: retryPolicy.guard(createReplayTask(db, retryPolicy)),
      cancel: retryPolicy.guard(createCancelTask(db, retryPolicy, sender)),
      notifyOwner: retryPolicy.guard(createNotifyTask(services, retryPolicy)),
    },
  });
  return {
    kind,
    get inFlight() {
      return sender.inFlight;
    },
    turns: { batches: sender.turns, loads: loader.turns },
    drain() {
      sender.drain();
      retryPolicy.stop();
    },
  };
}
