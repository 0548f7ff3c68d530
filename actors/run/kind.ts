/** The kind `run`: everything about it, in one place. */
import { actor, type ActorKind, type TaskContext } from '../../runtime/actor.ts';
import type { Write } from '../../storage/writes.ts';
import { Patience } from '../patience.ts';
import { familyOf } from '../shard-key.ts';
import type { RunCommands } from './commands.ts';
import { attempt, called } from './decide-call.ts';
import { begin, cancel, expire, resume, start } from './decide-life.ts';
import { thought } from './decide-step.ts';
import { judged, settleSuggestion } from './decide-verdict.ts';
import type { RunServices } from './services.ts';
import { blankRun, type RunState } from './state.ts';
import { caller } from './tasks/call.ts';
import { Reporter } from './tasks/report.ts';
import { Thinker } from './tasks/think.ts';
import { UnderWay } from './tasks/under-way.ts';

export interface Runs {
  readonly kind: ActorKind<RunState, RunCommands, Write>;
  /** Steps and calls that are under way. */
  readonly out: number;
  /** Before the node drains: no step is begun any more, so that what is out can be answered and written down. */
  drain(): void;
  /** What is out has had its moment: it is stopped, and taken up by whoever comes next. */
  giveUp(): void;
}

/** Declares the kind with what its tasks work with. */
export function runs(services: RunServices): Runs {
  const patience = new Patience(services);
  const underWay = new UnderWay();
  const reporter = new Reporter(services, patience);
  const thinker = new Thinker(services, underWay, reporter, patience);
  const kind = actor<RunState, RunCommands, Write>({
    kind: 'run',
    blank: blankRun,
    shardKey: familyOf,
    onActivate: 'resume',
    // One that has ended is hardly asked again.
    idleMs: 60_000,
    // More than may be at a step or a call, or wait for a place there: whatever comes beside them, a `stop` above all, waits for nobody.
    tasksAtOnce: 16_384,
    decide: {
      ...{ begin, start, thought, attempt, called, judged, settleSuggestion, cancel, expire, resume },
    },
    tasks: {
      think: patience.guard(thinker.think),
      call: patience.guard(caller(services, underWay, reporter, patience)),
      stop: (_: unknown, { self }: TaskContext) => {
        underWay.stop(self.id);
        return Promise.resolve();
      },
    },
  });
  return {
    kind,
    get out() {
      return underWay.size;
    },
    drain() {
      thinker.drain();
      patience.end();
    },
    giveUp: () => underWay.stopAll(),
  };
}
