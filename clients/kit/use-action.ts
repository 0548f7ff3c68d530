/** What somebody does: whether it is under way, and why it failed, in the server's words. */
import { useCallback, useState } from 'react';
import { ApiError } from '../sdk/index.ts';

export interface Action {
  readonly isRunning: boolean;
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
  const [problem, setProblem] = useState<string>();
  const run = useCallback(async (work: () => Promise<unknown>): Promise<boolean> => {
    setRunning(true);
    setProblem(undefined);
    try {
      await work();
      return true;
    } catch (error) {
      setProblem(describeError(error));
      return false;
    } finally {
      setRunning(false);
    }
  }, []);
  const dismiss = useCallback(() => setProblem(undefined), []);
  return { isRunning, problem, run, dismiss };
}
