/** The task `replay`: reads a page of what is to be replayed, and gives it to the stitch. */
import type { TaskContext } from '../../../runtime/actor.ts';
import { replayEvents } from '../../../storage/reads/deliveries.ts';
import type { ReplayPage } from '../commands.ts';
import type { ReplayJob } from '../state.ts';
import type { Patience } from '../../patience.ts';
import type { StitchServices } from './services.ts';

/** Deliveries made in one commit. */
const pageSize = 200;

/** Ends with the command `replayPage`, from which the stitch starts the next page. */
export function replayer(db: StitchServices['db'], patience: Patience) {
  return async (job: ReplayJob, context: TaskContext): Promise<void> => {
    const { id: jobId, after } = job;
    const rows = await patience.until('a page of a replay could not be read', () =>
      replayEvents(db, job, pageSize),
    );
    const last = rows.at(-1);
    const full = rows.length === pageSize && last !== undefined;
    const next = full ? { createdAt: last.createdAt, eventSeq: last.eventSeq } : null;
    const page: ReplayPage = { jobId, after, events: rows, next };
    await patience.until('a stitch did not take a page of a replay', () =>
      context.ask(context.self, 'replayPage', page),
    );
  };
}
