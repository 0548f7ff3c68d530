/** What the runtime needs of a log. A pino logger is one. */

type Write = (fields: object, message: string) => void;

export interface Log {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  /** A thrown value goes under the name `err`, which pino writes with its stack. */
  readonly error: Write;
}

const nothing: Write = () => undefined;

export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
