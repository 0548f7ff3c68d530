/** Names of tools as models may use them. */

/** What all three providers take: letters, digits, `_` and `-`, a letter or `_` first. */
const longest = 64;

/**
 * A name for each, in their order, made of the names that people gave them; none twice, and none that is reserved. They depend on
 * nothing else, so that a call of an earlier step is still known by its name.
 */
export function toolNames(given: readonly string[], reserved: readonly string[]): string[] {
  const taken = new Set(reserved);
  return given.map(text => {
    const letters = text
      .normalize('NFKD')
      .replaceAll(/[^A-Za-z0-9_-]+/g, '_')
      .replaceAll(/^_+|_+$/g, '');
    const name = (/^[A-Za-z]/.test(letters) ? letters : `tool_${letters}`).slice(0, longest);
    let free = name;
    for (let n = 2; taken.has(free); n++) free = `${name.slice(0, longest - 4)}_${n}`;
    taken.add(free);
    return free;
  });
}
