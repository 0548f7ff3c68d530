/** A form of the account on its way to the server. What was typed stays where it fails. */
import type { FormEvent } from 'react';
import { useKitTexts } from '../../texts/index.ts';
import type { KnownProblem, ProblemTexts } from '../problems.ts';
import { useSubmission } from '../use-submission.ts';

export interface Form {
  readonly isSending: boolean;
  readonly problem: string | undefined;
  readonly submit: (event: FormEvent) => void;
}

/**
 * @param work what submitting does; `done` follows where it succeeds
 * @param own what this form says otherwise of some problems
 */
export function useForm(
  work: () => Promise<unknown>,
  done: () => void,
  own: Partial<Pick<ProblemTexts, KnownProblem>> = {},
): Form {
  const { problems } = useKitTexts().account;
  const { isSending, problem, run } = useSubmission({ wrong: problems.wrongPassword, ...own });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isSending) return;
    void run(work).then(hasSucceeded => hasSucceeded && done());
  };
  return { isSending, problem, submit };
}
