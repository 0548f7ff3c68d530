/** The kind `stitch`: everything about it, in one place. */
import { actor, type ActorKind } from '../../runtime/actor.ts';
import type { Write } from '../../storage/writes.ts';
import type { StitchCommands } from './commands.ts';
import { due, loaded, probe, progress, remindDue, resume, sweep, underWay, wake } from './flow.ts';
import { archive, cancelled, create, endGrace, rotateSecret, update } from './manage.ts';
import { replay, replayPage, replaySpan, test } from './replay.ts';
import { ownerTold, settled } from './settle.ts';
import { blankStitch, type StitchState } from './state.ts';
import { Bodies } from './tasks/bodies.ts';
import { canceller } from './tasks/canceller.ts';
import { Loader } from './tasks/loader.ts';
import { ownerTeller } from './tasks/owner-teller.ts';
import { replayer } from './tasks/replayer.ts';
import { Patience } from '../patience.ts';
import { Secrets } from './tasks/secrets.ts';
import { Sender } from './tasks/sender.ts';
import type { StitchServices } from './tasks/services.ts';

/** Read ahead of their deliveries on one node, in UTF-16 units. */
const bodiesKept = 64 * 1_048_576;

export interface Stitches {
  readonly kind: ActorKind<StitchState, StitchCommands, Write>;
  /** Requests that are out. */
  readonly out: number;
  /**
   * Before the node drains: nothing new is sent, so that what is out can be answered and written down; and nobody waits for
   * what does not come any more.
   */
  drain(): void;
}

/** Declares the kind with what its tasks work with. */
export function stitches(services: StitchServices): Stitches {
  const { db, vault } = services;
  const patience = new Patience(services);
  const bodies = new Bodies(bodiesKept);
  const loader = new Loader(db, bodies, patience);
  const sender = new Sender(services, bodies, new Secrets(vault), patience);
  const kind = actor<StitchState, StitchCommands, Write>({
    kind: 'stitch',
    blank: blankStitch,
    onActivate: 'sweep',
    // A task `send` lasts as long as the slowest of its requests; the pool bounds those.
    tasksAtOnce: 4_096,
    decide: {
      ...{ create, update, archive, rotateSecret, endGrace, cancelled },
      ...{ test, replay, replaySpan, replayPage },
      ...{ wake, sweep, resume, loaded, progress, settled, ownerTold, remindDue, due, probe, underWay },
    },
    tasks: {
      load: patience.guard(loader.load),
      send: patience.guard(sender.send),
      replay: patience.guard(replayer(db, patience)),
      cancel: patience.guard(canceller(db, patience)),
      tellOwner: patience.guard(ownerTeller(services, patience)),
    },
  });
  return {
    kind,
    get out() {
      return sender.out;
    },
    drain() {
      sender.drain();
      patience.end();
    },
  };
}
