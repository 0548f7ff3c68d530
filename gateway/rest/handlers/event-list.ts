import type { PagedEvent } from '../../../storage/reads/events.ts';
import type { Stretch } from '../../../storage/reads/walk.ts';
import type { Answer } from '../handler.ts';

/** What two lists of events differ in. */
export interface EventListing {
  /** The item's JSON text. */
  readonly textOf: (event: PagedEvent) => string;
  readonly cursorOf: (end: PagedEvent) => string;
}

/** A list of events made of the texts as they are stored: parsing and writing them again would cost most of the request. */
export function eventsAnswer({ rows, end }: Stretch<PagedEvent>, listing: EventListing): Answer {
  const nextCursor = end === undefined ? 'null' : JSON.stringify(listing.cursorOf(end));
  return {
    json: `{"data":[${rows.map(listing.textOf).join(',')}],"nextCursor":${nextCursor},"hasMore":${end !== undefined}}`,
  };
}
