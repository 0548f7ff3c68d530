/** A form of the account on its way to the server. What was typed stays where it fails. */
import type { FormEvent } from 'react';
import { useKitTexts } from '../../texts/index.ts';
import { useSubmission } from '../use-submission.ts';

export interface Form {
  readonly isSending: boolean;
  readonly problem: string | undefined;
  readonly submit: (event: FormEvent) => void;
}

/** @param work what submitting does; `done` follows where it succeeds */
export function useForm(work: () => Promise<unknown>, done: () => void): Form {
  const { problems } = useKitTexts().account;
  const { isSending, problem, run } = useSubmission({ wrong: problems.wrongPassword });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isSending) return;
    void run(work).then(hasSucceeded => hasSucceeded && done());
  };
  return { isSending, problem, submit };
}
