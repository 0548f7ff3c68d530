/**
 * Holds: a thread of a stitch waits for the deliveries of it that failed and are tried again, so that no later event overtakes them. Each hold
 * ends when its delivery is settled, or in time.
 */

/** A thread waits until its head, the event with number `seq`, is delivered. */
export interface Hold {
  readonly seq: number;
  /** The thread waits until this instant at the latest, in epoch milliseconds. */
  readonly until: number;
  /** That of a later event, which failed before an earlier one was replayed and failed as well: it is still to be waited for. */
  readonly later?: Hold | undefined;
}

/** Whether the event with that number waits. Infinity: whether anything of the thread does. */
export function isHeldBack(hold: Hold | undefined, seq: number, now: number): boolean {
  for (let each = hold; each !== undefined; each = each.later) {
    if (each.until > now && seq > each.seq) return true;
  }
  return false;
}

export function findHold(hold: Hold | undefined, seq: number): Hold | undefined {
  let found = hold;
  while (found !== undefined && found.seq !== seq) found = found.later;
  return found;
}

/** In the order of their events. That of the same event takes the place of the one before. */
export function addHold(hold: Hold | undefined, { seq, until }: Hold): Hold {
  if (hold === undefined || seq < hold.seq) return { seq, until, later: hold };
  if (seq === hold.seq) return { ...hold, until };
  return { ...hold, later: addHold(hold.later, { seq, until }) };
}

/** Without those that are over. */
export function keepHolds(hold: Hold | undefined, isOver: (hold: Hold) => boolean): Hold | undefined {
  if (hold === undefined) return undefined;
  const later = keepHolds(hold.later, isOver);
  if (isOver(hold)) return later;
  return later === hold.later ? hold : { ...hold, later };
}
