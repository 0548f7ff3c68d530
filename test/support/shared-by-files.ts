/** What test files of one worker process share (test/runner/worker.ts). It ends after the last file. */

type End = () => Promise<unknown>;

let ends: End[] | undefined;

/** For the worker: files share this process from now on. */
export function startSharing(): void {
  ends = [];
}

export function isSharing(): boolean {
  return ends !== undefined;
}

/** Calls `end` after the last file. Returns false when the file has a process of its own and must end it itself. */
export function endAfterLastFile(end: End): boolean {
  ends?.push(end);
  return ends !== undefined;
}

/** For the worker: ends everything in the reverse order of its start. */
export async function endShared(): Promise<void> {
  for (const end of (ends ?? []).reverse()) await end();
}
