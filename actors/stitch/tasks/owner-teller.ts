/** The task `tellOwner`: passes news on, and tells the stitch that this is done. */
import type { TaskContext } from '../../../runtime/actor.ts';
import type { OwnerNews } from '../state.ts';
import type { Patience } from '../../patience.ts';
import type { StitchServices } from './services.ts';

export function ownerTeller(services: Pick<StitchServices, 'tellOwner'>, patience: Patience) {
  /** Every sweep asks again for what is not done yet: one at a time is enough. */
  const underWay = new Set<string>();
  return async (news: OwnerNews, context: TaskContext): Promise<void> => {
    const { eventId } = news;
    if (underWay.has(eventId)) return;
    underWay.add(eventId);
    try {
      await patience.until('the owner of a stitch could not be told', () => services.tellOwner(news));
      await patience.until('a stitch did not hear that its owner is told', () =>
        context.ask(context.self, 'ownerTold', { eventId }),
      );
    } finally {
      underWay.delete(eventId);
    }
  };
}
