/** Hands a file that was made in the page to the browser, which asks or keeps it as its user has set. */

/** Milliseconds; browsers begin to read it at once, and some a moment after the click. */
const keptMs = 60_000;

export function saveFile(name: string, type: string, parts: readonly string[]): void {
  const url = URL.createObjectURL(new Blob([...parts], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), keptMs);
}

/** A JSON value a line. */
export const linesType = 'application/x-ndjson';
