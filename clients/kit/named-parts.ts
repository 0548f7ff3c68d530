/**
 * A sentence of the catalogue in parts, to set the names in it apart: `<bdi>` belongs around a name alone. Around the whole sentence it takes the
 * direction of the name for that of the sentence, whose own words then stand in the wrong order.
 */
export interface TextPart {
  readonly text: string;
  /** It is one of the names, which others have given. */
  readonly isName: boolean;
}

/** Private characters (Unicode, chapter 23.5), one for each name: no text of a catalogue has them. */
const firstMark = 0xe000;

/** @param say gives the sentence of the names: it puts them in, and does nothing else with them */
export function splitByNames<Names extends readonly string[]>(
  say: (...names: { [Index in keyof Names]: string }) => string,
  ...names: Names
): readonly TextPart[] {
  const marks = names.map((_, index) => String.fromCharCode(firstMark + index));
  return say(...(marks as { [Index in keyof Names]: string }))
    .split(/([\ue000-\uf8ff])/u)
    .filter(text => text !== '')
    .map(text => {
      const name = names[marks.indexOf(text)];
      return name === undefined ? { text, isName: false } : { text: name, isName: true };
    });
}
