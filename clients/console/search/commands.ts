/** What the palette understands beside the names of commands. */

/** What begins with this sign names commands alone. */
export const isForCommands = (written: string): boolean => written.trimStart().startsWith('>');

/** The id of a thread that was pasted, alone or as a part of an address. */
export function findThreadId(written: string): string | undefined {
  return /(?:^|\/)(thread_[0-9a-z]+)\s*$/.exec(written.trim())?.[1];
}
