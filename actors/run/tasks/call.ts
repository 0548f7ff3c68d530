/** The task `call`: one tool call, by the tool's own rule. */
import type { TaskContext } from '../../../runtime/actor.ts';
import type { Patience } from '../../patience.ts';
import type { CallOutcome } from '../commands.ts';
import type { CallTask } from '../orders.ts';
import type { RunServices } from '../services.ts';
import type { Reporter } from './report.ts';
import type { UnderWay } from './under-way.ts';

/**
 * An attempt that this node has not begun itself is let be until nobody can be at it any more: the run asks again every few seconds.
 * Then it is lost.
 */
export function caller(
  { tools, clock }: Pick<RunServices, 'tools' | 'clock'>,
  underWay: UnderWay,
  reporter: Reporter,
  patience: Patience,
) {
  return async ({ order, lostAt, fresh }: CallTask, context: TaskContext): Promise<void> => {
    const { self } = context;
    await underWay.at(self.id, order.callId, async signal => {
      // Also where this process stood still since it was begun: another node may have taken it for lost.
      const isOld = clock.now() >= lostAt;
      if (!fresh && !isOld) return;
      let isOurs = true;
      const attempt = async (number: number): Promise<boolean> => {
        const ask = { callId: order.callId, attempt: number };
        isOurs = (await patience.until(
          'an attempt of a tool call could not be begun',
          () => context.ask(self, 'attempt', ask),
          () => signal.aborted,
        )) as boolean;
        return isOurs;
      };
      const outcome = await tools.call({ ...order, lost: isOld }, signal, attempt);
      // Stopped: what it did is not known, and its outcome only says that it was stopped.
      if (!isOurs || signal.aborted) return;
      const { callId } = order;
      const instead: CallOutcome = {
        ...{ callId, status: 'failed', durationMs: outcome.durationMs, httpStatus: null, result: null },
        error: 'what the tool has answered cannot be kept',
      };
      await reporter.tell(context, 'called', outcome, instead);
    });
  };
}
