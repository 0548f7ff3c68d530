/** What somebody does: whether it is under way, and why it failed. */
import { useCallback, useState } from 'react';
import { describeError } from './error-texts.ts';

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

export function useAction(): Action {
  const [isRunning, setRunning] = useState(false);
  const [failure, setFailure] = useState<{ readonly error: unknown; readonly problem: string }>();
  const run = useCallback(async (work: () => Promise<unknown>): Promise<boolean> => {
    setRunning(true);
    setFailure(undefined);
    try {
      await work();
      return true;
    } catch (thrown) {
      setFailure({ error: thrown, problem: await describeError(thrown) });
      return false;
    } finally {
      setRunning(false);
    }
  }, []);
  const dismiss = useCallback(() => setFailure(undefined), []);
  return { isRunning, error: failure?.error, problem: failure?.problem, run, dismiss };
}
