/** A form on its way to the server: whether it is, and what came of the last try. */
import { useState } from 'react';
import { useKitTexts } from '../texts/index.ts';
import { describeProblem, type KnownProblem, type ProblemTexts } from './problems.ts';

export interface Submission {
  readonly isSending: boolean;
  readonly problem: string | undefined;
  setProblem(text: string | undefined): void;
  /** Gives whether the work succeeded. */
  run(work: () => Promise<unknown>): Promise<boolean>;
}

/** @param own what a page says otherwise of some problems */
export function useSubmission(own: Partial<Pick<ProblemTexts, KnownProblem>> = {}): Submission {
  const texts = { ...useKitTexts().account.problems, ...own };
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const run = async (work: () => Promise<unknown>): Promise<boolean> => {
    setSending(true);
    setProblem(undefined);
    try {
      await work();
      return true;
    } catch (error) {
      setProblem(describeProblem(error, texts));
      return false;
    } finally {
      setSending(false);
    }
  };
  return { isSending, problem, setProblem, run };
}
