/** What the stream does not have any more, from the list of events, which goes back further. */
import type { Skein, SkeinEvent } from '../../sdk/index.ts';

/** More are not read again: whoever was away for so long has a database to look into. */
const maxEvents = 10_000;

/** Events from an instant on, in their order. */
export async function readBacklog(
  skein: Skein,
  since: string,
): Promise<{ events: SkeinEvent[]; isComplete: boolean }> {
  const newestFirst: SkeinEvent[] = [];
  for await (const event of skein.events.list({ since, limit: 100 })) {
    newestFirst.push(event);
    if (newestFirst.length >= maxEvents) return { events: newestFirst.reverse(), isComplete: false };
  }
  return { events: newestFirst.reverse(), isComplete: true };
}
