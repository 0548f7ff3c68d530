/** Colleagues whom a note names by `@` and their name: who they are when it is written, and where they stand when it is read. */
import type { Colleague } from '../thread/people.ts';

/** The contract's. */
const mostMentions = 20;

/** Whether the name goes on behind it: `@Ana` is not in `@Anabel`. */
const goesOn = /^[\p{Letter}\p{Number}]/u;

/** Where `@name` stands in the text. */
function findPlaces(text: string, name: string): readonly number[] {
  const places: number[] = [];
  if (name === '') return places;
  const wanted = name.toLocaleLowerCase();
  // Not within the lowered text: it may be longer (`İ`), and its places are others.
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    const end = at + 1 + name.length;
    const isName = text.slice(at + 1, end).toLocaleLowerCase() === wanted;
    if (isName && !goesOn.test(text.slice(end))) places.push(at);
  }
  return places;
}

/**
 * The colleagues whom the text names. Of several with one name those who were chosen are meant; nobody, where nobody was.
 *
 * @param chosen user ids, whom the operator has chosen from the list
 */
export function findMentioned(
  text: string,
  colleagues: readonly Pick<Colleague, 'userId' | 'name'>[],
  chosen: readonly string[],
): readonly string[] {
  const byName = Map.groupBy(colleagues, ({ name }) => name.toLocaleLowerCase());
  return [...byName.values()]
    .filter(([first]) => findPlaces(text, first?.name ?? '').length > 0)
    .flatMap(named => {
      const ids = named.map(({ userId }) => userId);
      return ids.length === 1 ? ids : ids.filter(userId => chosen.includes(userId));
    })
    .slice(0, mostMentions);
}

export interface NotePart {
  readonly text: string;
  readonly isMention: boolean;
}

/** The text in parts, with the names apart. Where one name begins as another does, the longer one stands. */
export function splitMentions(text: string, names: readonly string[]): readonly NotePart[] {
  const found = names
    .flatMap(name => findPlaces(text, name).map(at => ({ at, end: at + name.length + 1 })))
    .sort((one, other) => one.at - other.at || other.end - one.end);
  const parts: NotePart[] = [];
  let end = 0;
  for (const place of found) {
    if (place.at < end) continue;
    if (place.at > end) parts.push({ text: text.slice(end, place.at), isMention: false });
    parts.push({ text: text.slice(place.at, place.end), isMention: true });
    end = place.end;
  }
  if (end < text.length) parts.push({ text: text.slice(end), isMention: false });
  return parts;
}
