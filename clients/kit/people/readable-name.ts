import { toShownName } from '../shown-name.ts';

/** Whoever has given no name goes by what stands before the @ of their address, which hardly reads like a name. */
const localPart = /^\p{Ll}+(?:-\p{Ll}+)*(?:[._]\p{Ll}+(?:-\p{Ll}+)*)+$/u;

/** `Ines Moreau` of `ines.moreau`. Anything else stays: it may be written as its owner wants it. */
export function toReadableName(name: string): string {
  if (!localPart.test(name)) return toShownName(name);
  return name.replaceAll(/[._]/g, ' ').replaceAll(/(?<![^ -])\p{Ll}/gu, letter => letter.toLocaleUpperCase());
}
