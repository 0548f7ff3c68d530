/** The words around what a search has found. */
import type { Thread } from '../../sdk/index.ts';
import { cutSnippet } from './highlights.ts';

export function Snippet({ snippet, highlights }: NonNullable<Thread['match']>) {
  return cutSnippet(snippet, highlights).map(({ text, isHit }, index) =>
    isHit ? <mark key={index}>{text}</mark> : text,
  );
}
