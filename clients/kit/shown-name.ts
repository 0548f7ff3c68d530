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
