/** What comes of one step: an answer, or why there is none. */
import type { ModelAnswer, RunFailure } from './commands.ts';

export interface Failed {
  readonly failure: RunFailure;
}

export type ModelOutcome = ModelAnswer | Failed;

/** For a step that met what nobody foresaw; the log says what. */
export const defect: RunFailure = {
  errorCode: 'internal_error',
  errorMessage: 'The step has failed by our own fault.',
};
