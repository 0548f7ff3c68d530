/** What the commands of operators share (`npm run keys`, `backup`, `restore`): how they fail, speak, and are interrupted. */
import { access } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLog } from '../runtime/observability/index.ts';
import { FolderInUse, readEmbeddedUrl, startEmbedded } from '../storage/embedded/index.ts';
import { type Config, ConfigError, readConfig } from './config/index.ts';

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

/** The configuration by the variables that are named. The rest of a node's may be missing, or wrong, where a command runs. */
export function readEnvironment(...names: readonly (keyof NodeJS.ProcessEnv & string)[]): Config {
  const given = Object.fromEntries(names.map(name => [name, process.env[name]]));
  try {
    return readConfig({ ...given, HOST: '127.0.0.1' });
  } catch (error) {
    throw error instanceof ConfigError ? new Refused(error.message, 78) : error;
  }
}

/** The version in package.json. */
export function readVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

/** The embedded database: that of a running node, or its folder, whose server is then started, and stopped at the end. */
export async function openEmbedded(
  dataDir: string,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const folder = join(dataDir, 'postgres');
  await access(folder).catch(() => {
    throw new Refused(`DATABASE_URL is not set, and there is no database under ${dataDir}`, 78);
  });
  try {
    return await startEmbedded({ folder, log: silentLog });
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error;
    return { url: await readEmbeddedUrl(folder), stop: () => Promise.resolve() };
  }
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
