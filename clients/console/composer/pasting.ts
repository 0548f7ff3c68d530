/**
 * Whether what is pasted is its files, and not its text. Cells of a spreadsheet and parts of documents come as a text with a picture of it;
 * a file that was copied may come with its name as the text.
 */
export function isPastedAsFiles({ files, text }: Pasted): boolean {
  if (files.length === 0) return false;
  const names = new Set(Array.from(files, ({ name }) => name));
  const lines = text.split(/[\r\n]+/).filter(line => line.trim() !== '');
  return lines.every(line => names.has(line.replace(/^.*[/\\]/, '')));
}

export interface Pasted {
  readonly files: ArrayLike<{ readonly name: string }>;
  /** Empty: there is none. */
  readonly text: string;
}
