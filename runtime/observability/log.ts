/** The log as the runtime uses it. A pino logger is one. */

type LogMethod = (fields: object, message: string) => void;

export interface Log {
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
  /** Pass a thrown value as `err`: pino writes it with its stack. */
  readonly error: LogMethod;
}

const ignore: LogMethod = () => undefined;

export const silentLog: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
