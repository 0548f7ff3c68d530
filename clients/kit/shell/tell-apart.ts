/** Names as they are shown: of those that are the same, each with the end of its id, by which people can tell them apart. */
interface Named {
  readonly id: string;
  readonly name: string;
}

/** Of an id. Its last characters are random. */
const tailLength = 4;

/** In the order of what was given. */
export function tellApart(things: readonly Named[]): readonly string[] {
  const alike = findRepeated(things.map(({ name }) => name));
  return things.map(({ id, name }) => (alike.has(name) ? `${name} (…${id.slice(-tailLength)})` : name));
}

/** The texts that are there more than once. */
export function findRepeated(texts: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set(texts.filter(text => seen.size === seen.add(text).size));
}
