/** A form on its way to the server: what was typed stays where it fails. */
import type { FormEvent } from 'react';
import { useAction } from '../../kit/use-action.ts';

export interface Submit {
  readonly isRunning: boolean;
  /** Of the last try. */
  readonly error: unknown;
  readonly submit: (event: FormEvent) => void;
}

export function useSubmit(work: () => Promise<unknown>): Submit {
  const { isRunning, error, run } = useAction();
  return {
    isRunning,
    error,
    submit(event) {
      event.preventDefault();
      if (!isRunning) void run(work);
    },
  };
}
