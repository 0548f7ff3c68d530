/** What test files that share a process (test/batch.ts) share beside it: it ends after the last of them. */

type End = () => Promise<unknown>;

let ends: End[] | undefined;

/** For test/batch.ts: from now on files share this process. */
export function share(): void {
  ends = [];
}

/** Has it ended after the last file. False: the file is alone, and ends it itself. */
export function endAfterLastFile(end: End): boolean {
  ends?.push(end);
  return ends !== undefined;
}

/** For test/batch.ts. */
export async function endShared(): Promise<void> {
  for (const end of ends ?? []) await end();
}
