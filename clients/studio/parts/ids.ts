/** What an id is of, as its prefix says. */
const kinds = {
  msg: 'message',
  thread: 'thread',
  evt: 'event',
  run: 'run',
  whd: 'delivery',
  ch: 'channel',
  stitch: 'webhook',
  agt: 'agent',
  loom: 'instructions',
  tool: 'tool',
} as const;

export type IdKind = (typeof kinds)[keyof typeof kinds];

/** The prefix, and 26 characters of Crockford's base32. */
const form = /^([a-z]+)_[0-9a-hjkmnp-tv-z]{26}$/;

const isPrefix = (text: string): text is keyof typeof kinds => Object.hasOwn(kinds, text);

/** Undefined: it is none of something that has a page. */
export function readId(text: string): IdKind | undefined {
  const prefix = form.exec(text)?.[1] ?? '';
  return isPrefix(prefix) ? kinds[prefix] : undefined;
}
