/**
 * Holds what is true in the end against what clients were told, after whatever has happened: the same invariants for simulated nodes
 * and for real ones.
 *
 * An actor's log is the order in which things happened to it. An operation puts one id into the log of one actor, once,
 * however often its client had to repeat it, and its answer may say at which place.
 */

export interface Operation {
  /** Who asked. */
  readonly client: string;
  readonly actor: string;
  /** What it puts into the log. */
  readonly id: string;
  /** Both in milliseconds of one clock. Infinity while there is no answer. */
  readonly invokedAt: number;
  readonly settledAt: number;
  /**
   *   ok        acknowledged: it is in the log
   *   refused   every try was: it is not in the log, and never will be
   *   unknown   the client gave up: it may be there
   */
  readonly outcome: 'ok' | 'refused' | 'unknown';
  /** The place in the log that was acknowledged, from 1; absent when the answer does not say. */
  readonly position?: number | undefined;
}

/** A look at a log. */
export interface Look {
  readonly client: string;
  readonly actor: string;
  readonly ids: readonly string[];
}

export interface History {
  readonly operations: readonly Operation[];
  readonly looks?: readonly Look[];
}

/** The logs as they are in the end, by actor. */
export type Truth = ReadonlyMap<string, readonly string[]>;

/** What is wrong, by invariant; nothing is when every list is empty. */
export interface Findings {
  /** Acknowledged, and not in the log, or at another place than was said. */
  readonly lost: readonly string[];
  /** More than once in the logs. */
  readonly doubled: readonly string[];
  /** Refused, and in a log all the same. */
  readonly refused: readonly string[];
  /** In a log, and nobody has asked for it. */
  readonly invented: readonly string[];
  /** Asked for after another one's answer, and before it in the log. */
  readonly disordered: readonly string[];
  /** A look that no log ever was: what it saw is not how the log begins. */
  readonly untrue: readonly string[];
}

export const nothingFound: Findings = {
  lost: [],
  doubled: [],
  refused: [],
  invented: [],
  disordered: [],
  untrue: [],
};

/** `isOwn` tells of an id in a log that it came from the system itself, so that no operation stands for it. */
export function checkHistory(
  { operations, looks = [] }: History,
  truth: Truth,
  isOwn: (id: string) => boolean = () => false,
): Findings {
  const positions = findPositions(truth);
  const asked = new Set(operations.map(({ id }) => id));
  const lost: string[] = [];
  const refused: string[] = [];
  for (const operation of operations) {
    const { id, actor, outcome, position: place } = operation;
    const found = positions.get(id)?.[0];
    const isThere = found !== undefined && found.actor === actor;
    if (outcome === 'ok' && !isThere) lost.push(`${id} of ${actor} was acknowledged and is not there`);
    if (outcome === 'ok' && isThere && place !== undefined && place !== found.position) {
      lost.push(`${id} of ${actor} was acknowledged at ${place} and is at ${found.position}`);
    }
    if (outcome === 'refused' && found !== undefined)
      refused.push(`${id} of ${actor} was refused and is there`);
  }
  const doubled = [...positions]
    .filter(([, all]) => all.length > 1)
    .map(([id, all]) => `${id} is there ${all.length} times`);
  const invented = [...positions.keys()]
    .filter(id => !asked.has(id) && !isOwn(id))
    .map(id => `${id} was asked by nobody`);
  const untrue = looks.flatMap(look => untrueParts(look, truth));
  return { lost, doubled, refused, invented, disordered: findDisordered(operations, truth), untrue };
}

function findPositions(truth: Truth): Map<string, { readonly actor: string; readonly position: number }[]> {
  const positions = new Map<string, { actor: string; position: number }[]>();
  for (const [actor, ids] of truth) {
    for (const [i, id] of ids.entries()) {
      const all = positions.get(id);
      if (all === undefined) positions.set(id, [{ actor, position: i + 1 }]);
      else all.push({ actor, position: i + 1 });
    }
  }
  return positions;
}

function untrueParts({ client, actor, ids }: Look, truth: Truth): string[] {
  const log = truth.get(actor) ?? [];
  const wrong = ids.findIndex((id, i) => log[i] !== id);
  return wrong < 0
    ? []
    : [`${client} saw ${ids[wrong]} at ${wrong + 1} of ${actor}, which has ${log[wrong]} there`];
}

/** Backwards through each log, with the earliest answer of all that come later: nobody may have asked after that. */
function findDisordered(operations: readonly Operation[], truth: Truth): string[] {
  const known = new Map(operations.map(operation => [operation.id, operation]));
  const disordered: string[] = [];
  for (const [actor, ids] of truth) {
    let earliest: Operation | undefined;
    for (const id of ids.toReversed()) {
      const operation = known.get(id);
      if (operation === undefined) continue;
      if (earliest !== undefined && operation.invokedAt > earliest.settledAt) {
        disordered.push(
          `${actor}: ${id} was asked for after the answer to ${earliest.id}, and comes before it`,
        );
      }
      if (operation.outcome === 'ok' && operation.settledAt < (earliest?.settledAt ?? Infinity))
        earliest = operation;
    }
  }
  return disordered;
}
