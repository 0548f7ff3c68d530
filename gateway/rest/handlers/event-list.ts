import type { PagedEvent } from '../../../storage/reads/events.ts';
import type { Answer } from '../handler.ts';

/** What two lists of events differ in. */
export interface EventListing {
  /** The item's JSON text. */
  readonly textOf: (event: PagedEvent) => string;
  readonly cursorOf: (last: PagedEvent) => string;
}

/**
 * A list of events from `limit + 1` rows at most, made of the texts as they are stored: parsing and writing them again
 * would cost most of the request. There is more when a row was found that is not in the list, be it one too many or one
 * that the page's bytes had no room for.
 */
export function eventsAnswer(rows: readonly PagedEvent[], limit: number, listing: EventListing): Answer {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = last !== undefined && last.found > shown.length;
  const nextCursor = hasMore ? JSON.stringify(listing.cursorOf(last)) : 'null';
  return {
    json: `{"data":[${shown.map(listing.textOf).join(',')}],"nextCursor":${nextCursor},"hasMore":${hasMore}}`,
  };
}
