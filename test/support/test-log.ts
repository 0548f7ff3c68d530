/** A node's log that a test reads. */
import type { Log } from '../../runtime/observability/log.ts';
import { withTimeLimit } from './time-limit.ts';

/** Levels as pino numbers them: 30 is info, 50 an error. */
export interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** Lines so far, and the next one that fits. A node process is one as well. */
export interface LogSource {
  readonly lines: readonly LogLine[];
  said(fits: (line: LogLine) => boolean): Promise<LogLine>;
}

interface Listener {
  readonly fits: (line: LogLine) => boolean;
  readonly resolve: (line: LogLine) => void;
}

export class TestLog implements Log, LogSource {
  readonly lines: LogLine[] = [];
  readonly debug = (): void => undefined;
  readonly info = (fields: object, msg: string): void => this.#add(30, fields, msg);
  readonly warn = (fields: object, msg: string): void => this.#add(40, fields, msg);
  readonly error = (fields: object, msg: string): void => this.#add(50, fields, msg);
  readonly #listeners = new Set<Listener>();

  /** Resolves with the next line that fits. */
  said(fits: (line: LogLine) => boolean): Promise<LogLine> {
    const line = new Promise<LogLine>(resolve => this.#listeners.add({ fits, resolve }));
    return withTimeLimit(line, 'such line of the log');
  }

  #add(level: number, fields: object, msg: string): void {
    const line: LogLine = { ...fields, level, msg };
    this.lines.push(line);
    for (const listener of this.#listeners) {
      if (!listener.fits(line)) continue;
      this.#listeners.delete(listener);
      listener.resolve(line);
    }
  }
}
