/** What the commands of operators share (`npm run keys`, `backup`, `restore`): how they fail, speak, and are interrupted. */
import { readFileSync } from 'node:fs';

/** Something that the operator has to mend: one line, no stack. Exit codes: 64 for wrong arguments, 78 for a wrong configuration. */
export class Refused extends Error {
  readonly exitCode: number;
  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The version in package.json. */
export function readVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

/** Aborted by the first signal that tells the program to end. */
export function abortOnSignals(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stop.abort());
  return stop.signal;
}

/** Runs the command with the arguments of the process, and sets its exit code. */
export async function runCommand(
  name: string,
  run: (given: readonly string[]) => Promise<number>,
): Promise<void> {
  try {
    process.exitCode = await run(process.argv.slice(2));
  } catch (error) {
    const refused = error instanceof Refused;
    process.stderr.write(`${refused ? error.message : `${name}: ${String(error)}`}\n`);
    process.exitCode = refused ? error.exitCode : 1;
  }
}
