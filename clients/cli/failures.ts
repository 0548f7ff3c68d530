/** What ends a command, and how it is said: the words, the JSON and the exit code of every error. */
import {
  ApiError,
  AuthError,
  ConnectionError,
  RateLimitError,
  TimeoutError,
  ValidationError,
} from '../sdk/index.ts';

/** With a full stop, so that another sentence may follow. */
export function endSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** 0 is done. Scripts may depend on these. */
export const exitCodes = {
  failed: 1,
  /** Called wrongly, or with what the server finds invalid. */
  usage: 2,
  /** No credential, or none that may do this. */
  auth: 4,
  /** Nobody has answered. */
  noAnswer: 5,
  rateLimit: 6,
  /** Ctrl-C, as shells count. */
  interrupted: 130,
} as const;

/** A failure of this program's own. Its message is a sentence for people; `hint` says what to do about it. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: number;
  readonly hint: string | undefined;

  constructor(message: string, exitCode: number = exitCodes.failed, hint?: string) {
    super(message);
    this.exitCode = exitCode;
    this.hint = hint;
  }
}

/** The end of a command that has said all there is to say. */
export class SilentExit extends CliError {
  constructor(exitCode: number) {
    super('', exitCode);
  }
}

export interface Failure {
  readonly exitCode: number;
  /** As the catalogue of the API has it: `error`, `message`, and more where the server has answered. */
  readonly json: object;
  /** Lines for people. */
  readonly lines: readonly string[];
}

/** @param baseUrl of the server that was asked */
export function describeFailure(error: unknown, baseUrl: string): Failure {
  if (error instanceof ApiError) return describeAnswer(error);
  if (error instanceof ConnectionError || error instanceof TimeoutError) {
    return {
      exitCode: exitCodes.noAnswer,
      json: { error: `cli/${error.kind}`, message: error.message },
      lines: [
        `No answer from ${baseUrl}: ${error.message}`,
        'Is the server running? In its repository `npm start` starts it; --base-url names another.',
      ],
    };
  }
  const own = error instanceof CliError ? error : undefined;
  // The client's word for a call that cannot be: an id without a letter.
  const exitCode = error instanceof TypeError ? exitCodes.usage : exitCodes.failed;
  const message = error instanceof Error ? error.message : String(error);
  const hint = own?.hint === undefined ? [] : [own.hint];
  return {
    exitCode: own?.exitCode ?? exitCode,
    json: { error: 'cli/failed', message },
    lines: [message, ...hint],
  };
}

function describeAnswer(error: ApiError): Failure {
  const issues = error instanceof ValidationError ? error.issues : [];
  // One alone is in the message.
  const further = issues.length > 1 ? issues : [];
  const docs = error.docsUrl === undefined ? [] : [error.docsUrl];
  return {
    exitCode: getExitCode(error),
    json: error.toJSON(),
    lines: [
      error.message,
      ...further.map(({ path, message }) => `  ${path} ${message}`),
      ...adviseOn(error),
      ...docs,
    ],
  };
}

function getExitCode(error: ApiError): number {
  if (error instanceof AuthError) return exitCodes.auth;
  if (error instanceof RateLimitError) return exitCodes.rateLimit;
  return error instanceof ValidationError ? exitCodes.usage : exitCodes.failed;
}

function adviseOn(error: ApiError): string[] {
  if (error instanceof RateLimitError && error.retryAfterSeconds !== undefined) {
    return [`Try again in ${error.retryAfterSeconds} s.`];
  }
  if (error.code === 'svc/auth/invalid_credentials') return [];
  if (error.code === 'svc/auth/email_in_use') return ['It has an account: `skein login` signs in to it.'];
  if (error.status === 401)
    return ['`skein whoami` says which credential is used; `skein login` makes a new one.'];
  if (error.code === 'svc/runtime/not_found') {
    return ['It may belong to another project or environment: `skein whoami` says which yours are.'];
  }
  return [];
}
