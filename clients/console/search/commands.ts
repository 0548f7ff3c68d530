/** What can be found by its name: queues, environments and actions. */

export interface Command {
  readonly id: string;
  readonly group: 'page' | 'queues' | 'environments' | 'actions';
  readonly label: string;
}

const fold = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLocaleLowerCase();

const split = (text: string): string[] => fold(text).split(/[^\p{Letter}\p{Number}]+/u);

/** Those of which every written word begins a word; all of them where nothing is written. In their order. */
export function findCommands<T extends Command>(written: string, commands: readonly T[]): readonly T[] {
  const wanted = split(written).filter(word => word !== '');
  return commands.filter(({ label }) => {
    const words = split(label);
    return wanted.every(each => words.some(word => word.startsWith(each)));
  });
}

/** What begins with this sign names commands alone. */
export const isForCommands = (written: string): boolean => written.trimStart().startsWith('>');

/** The id of a thread that was pasted, alone or as a part of an address. */
export function findThreadId(written: string): string | undefined {
  return /(?:^|\/)(thread_[0-9a-z]+)\s*$/.exec(written.trim())?.[1];
}

/** The place before or behind one in a list that goes round. */
export function step(index: number, by: 1 | -1, length: number): number {
  return length === 0 ? 0 : (index + by + length) % length;
}
