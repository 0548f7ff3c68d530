/** What a search has found, with the words that fit: plain text, cut at the places that the server names. */

export interface SnippetPart {
  readonly text: string;
  readonly isHit: boolean;
}

/**
 * @param highlights offsets in UTF-16 code units, each from its first unit to behind its last; what is out of order or out of the text is
 *   left out
 */
export function cutSnippet(snippet: string, highlights: readonly (readonly number[])[]): SnippetPart[] {
  const parts: SnippetPart[] = [];
  const add = (from: number, to: number, isHit: boolean): void => {
    if (to > from) parts.push({ text: snippet.slice(from, to), isHit });
  };
  let at = 0;
  for (const [from = 0, to = 0] of highlights) {
    if (from < at || to <= from || to > snippet.length) continue;
    add(at, from, false);
    add(from, to, true);
    at = to;
  }
  add(at, snippet.length, false);
  return parts;
}
