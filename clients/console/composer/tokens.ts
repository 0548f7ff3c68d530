/** Words that begin with a sign and are being written: `/` for a canned reply, `@` for a colleague. */
export interface Token {
  /** Where the sign stands. */
  readonly start: number;
  /** What was written behind it. */
  readonly query: string;
}

const longestQuery = 40;

/** The word at the caret, if it begins with the sign at the start of a line or behind a space. */
export function findToken(text: string, caret: number, sign: '/' | '@'): Token | undefined {
  const start = caret === 0 ? -1 : text.lastIndexOf(sign, caret - 1);
  if (start === -1 || caret - start > longestQuery) return undefined;
  const query = text.slice(start + 1, caret);
  const before = text.charAt(start - 1);
  return /\s/.test(query) || !/^\s?$/.test(before) ? undefined : { start, query };
}

/** The text with the word replaced, and where the caret is then. */
export function replaceToken(text: string, caret: number, { start }: Token, replacement: string) {
  return {
    text: text.slice(0, start) + replacement + text.slice(caret),
    caret: start + replacement.length,
  };
}

/** Code points, as the contract counts. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _each of text) count++;
  return count;
}
