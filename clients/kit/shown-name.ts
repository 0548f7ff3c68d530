/** Characters that turn the direction of what follows them, by embedding, override or isolation. */
const directions = /[\u202a-\u202e\u2066-\u2069]/gu;

/**
 * A name that others have given, of a person or a file, as it is shown: without characters that turn its direction. `<bdi>` keeps them from
 * reaching what stands around the name. It does not keep `invoice<U+202E>gpj.exe` from reading as `invoiceexe.jpg`, and no honest name needs them:
 * letters have directions of their own.
 */
export const toShownName = (name: string): string => name.replaceAll(directions, '');

/** Code as it is shown: the same characters as they are written in JSON, where they can be seen. Else what is approved would not be what runs. */
export const toShownCode = (code: string): string =>
  code.replaceAll(directions, each => `\\u${each.charCodeAt(0).toString(16)}`);

/** What can be seen: neither space, nor control characters, nor those that are drawn as nothing. */
const visible = /[^\p{White_Space}\p{Control}\p{Default_Ignorable_Code_Point}]/u;

/** A name as it is shown where something is opened by it: `otherwise`, such as an id, of a name of which nothing can be seen. */
export function toVisibleName(name: string, otherwise: string): string {
  const shown = toShownName(name);
  return visible.test(shown) ? shown : otherwise;
}

/**
 * What is compared of a name that somebody types who reads it: characters that cannot be seen, and which space is between words, are nobody's
 * to know. Empty: nothing of it can be typed.
 */
export const toTypedName = (name: string): string =>
  name
    .normalize('NFC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replaceAll(/[\p{White_Space}\p{Control}]+/gu, ' ')
    .trim();
