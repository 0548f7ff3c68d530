/** The addresses in a text, so that the rest of it is shown as it is. Only those that can do no harm become links. */

export type TextPart = { readonly text: string } | { readonly text: string; readonly href: string };

/** What follows an address in a sentence does not belong to it. */
const address = /(?:https?:\/\/|mailto:|tel:)[^\s<>"'`]*[^\s<>"'`.,;:!?)\]}]/giu;
const safeProtocols = new Set(['http:', 'https:', 'mailto:', 'tel:']);
/** Characters that change the direction of what follows, or are not seen: an address with one is not what it seems. */
const deceptive = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;

/** The address as a link may have it; undefined: it is shown as text. */
export function toSafeHref(text: string): string | undefined {
  if (deceptive.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return safeProtocols.has(url.protocol) && url.username === '' ? url.href : undefined;
}

export function splitLinks(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const match of text.matchAll(address)) {
    const href = toSafeHref(match[0]);
    if (href === undefined) continue;
    if (match.index > end) parts.push({ text: text.slice(end, match.index) });
    parts.push({ text: match[0], href });
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

/**
 * The parts of the first `length` characters of the text that `splitLinks` was given. An address that ends later is left out: what is left of it
 * would lead elsewhere.
 */
export function cutLinks(parts: readonly TextPart[], length: number): readonly TextPart[] {
  const kept: TextPart[] = [];
  let left = length;
  for (const part of parts) {
    if (part.text.length > left) return 'href' in part ? kept : [...kept, { text: part.text.slice(0, left) }];
    kept.push(part);
    left -= part.text.length;
  }
  return kept;
}

/** Where a position is shown on a map. Nothing of the message but its two numbers is in the address. */
export function toMapHref(latitude: number, longitude: number): string {
  return `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=16/${latitude}/${longitude}`;
}
