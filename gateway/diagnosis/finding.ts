/** One thing that was looked at. */
export interface Finding {
  readonly check: string;
  /** `note`: nothing is broken by it. */
  readonly result: 'ok' | 'note' | 'failed';
  /** A sentence without its full stop. It quotes no secret. */
  readonly detail: string;
}

export const ok = (check: string, detail: string): Finding => ({ check, result: 'ok', detail });
export const note = (check: string, detail: string): Finding => ({ check, result: 'note', detail });
export const failed = (check: string, detail: string): Finding => ({ check, result: 'failed', detail });

/** What an error says, on one line. With its code, which is all that some errors of the system have. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  const text = error.message === '' ? (code ?? error.name) : error.message;
  return text.split('\n')[0] ?? text;
}
