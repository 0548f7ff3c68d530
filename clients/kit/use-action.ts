/** What somebody does: whether it is under way, and why it failed, in the server's words. */
import { useCallback, useState } from 'react';
import { ApiError } from '../sdk/index.ts';

export interface Action {
  readonly isRunning: boolean;
  /** Of the last try, as it was thrown; undefined: none. */
  readonly error: unknown;
  /** The same in words. */
  readonly problem: string | undefined;
  /** Resolves with whether it succeeded. */
  run(work: () => Promise<unknown>): Promise<boolean>;
  dismiss(): void;
}

/** What to tell somebody of an error. */
export function describeError(error: unknown): string {
  return error instanceof ApiError ? error.reason : error instanceof Error ? error.message : String(error);
}

export function useAction(): Action {
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<unknown>();
  const run = useCallback(async (work: () => Promise<unknown>): Promise<boolean> => {
    setRunning(true);
    setError(undefined);
    try {
      await work();
      return true;
    } catch (thrown) {
      setError(thrown);
      return false;
    } finally {
      setRunning(false);
    }
  }, []);
  const dismiss = useCallback(() => setError(undefined), []);
  const problem = error === undefined ? undefined : describeError(error);
  return { isRunning, error, problem, run, dismiss };
}
