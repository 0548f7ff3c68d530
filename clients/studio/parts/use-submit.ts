/** A form on its way to the server: what was typed stays where it fails. */
import { type FormEvent, useState } from 'react';

export interface Submit {
  readonly isRunning: boolean;
  /** Of the last try. */
  readonly error: unknown;
  readonly submit: (event: FormEvent) => void;
}

export function useSubmit(work: () => Promise<unknown>): Submit {
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<unknown>();
  const run = async (): Promise<void> => {
    setRunning(true);
    setError(undefined);
    try {
      await work();
    } catch (problem) {
      setError(problem);
    } finally {
      setRunning(false);
    }
  };
  return {
    isRunning,
    error,
    submit(event) {
      event.preventDefault();
      if (!isRunning) void run();
    },
  };
}
