/** The task `call`: one tool call, by the tool's own rule. */
import type { TaskContext } from '../../../runtime/actor.ts';
import type { Patience } from '../../patience.ts';
import type { CallOutcome } from '../commands.ts';
import type { CallTask } from '../orders.ts';
import type { RunServices } from '../services.ts';
import { Places } from './places.ts';
import type { Reporter } from './report.ts';
import type { UnderWay } from './under-way.ts';

/** Calls that this node makes at once, half of them of one environment at most. */
const mostAtOnce = 4_096;
/** Those that wait for a place. */
const mostWaiting = 4_096;

/**
 * An attempt that this node has not begun itself is let be until nobody can be at it any more: the run asks again every few seconds.
 * Then it is lost. So is one for which there is no place.
 */
export function caller(
  { tools, clock }: Pick<RunServices, 'tools' | 'clock'>,
  underWay: UnderWay,
  reporter: Reporter,
  patience: Patience,
) {
  const places = new Places(mostAtOnce, mostWaiting);
  return async ({ order, lostAt, fresh }: CallTask, context: TaskContext): Promise<void> => {
    const { self } = context;
    const { callId, environmentId } = order;
    const make = async (signal: AbortSignal): Promise<void> => {
      // Also where it has waited, or this process stood still, since it was begun: another node may have taken it for lost.
      const isOld = clock.now() >= lostAt;
      let isOurs = true;
      const attempt = async (number: number): Promise<boolean> => {
        isOurs = (await patience.until(
          'an attempt of a tool call could not be begun',
          () => context.ask(self, 'attempt', { callId, attempt: number }),
          () => signal.aborted,
        )) as boolean;
        return isOurs;
      };
      const outcome = await tools.call({ ...order, lost: isOld }, signal, attempt);
      // Stopped: what it did is not known, and its outcome only says that it was stopped.
      if (!isOurs || signal.aborted) return;
      const instead: CallOutcome = {
        ...{ callId, status: 'failed', durationMs: outcome.durationMs, httpStatus: null, result: null },
        error: 'what the tool has answered cannot be kept',
      };
      await reporter.tell(context, 'called', outcome, instead);
    };
    if (!fresh && clock.now() < lostAt) return;
    await underWay.at(self.id, callId, signal => places.within(environmentId, signal, () => make(signal)));
  };
}
