/** What a palette finds by its name. */

export interface Command<Group extends string> {
  readonly id: string;
  readonly group: Group;
  readonly label: string;
}

const fold = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLocaleLowerCase();

const split = (text: string): string[] => fold(text).split(/[^\p{Letter}\p{Number}]+/u);

/** Those of which every written word begins a word; all of them where nothing is written. In their order. */
export function findCommands<T extends Pick<Command<string>, 'label'>>(
  written: string,
  commands: readonly T[],
): readonly T[] {
  const wanted = split(written).filter(word => word !== '');
  return commands.filter(({ label }) => {
    const words = split(label);
    return wanted.every(each => words.some(word => word.startsWith(each)));
  });
}

/** The place before or behind one in a list that goes round. */
export function step(index: number, by: 1 | -1, length: number): number {
  return length === 0 ? 0 : (index + by + length) % length;
}
