/** Runs a demonstration and removes everything that it created: at its end, after a failure, and after an interruption. */
import { rm } from 'node:fs/promises';
import { Endings } from '../support/endings.ts';
import { display } from './display.ts';
import { freePort, Server, temporaryFolder } from './server.ts';

/** Exit code 1 if the work fails. */
export async function perform(work: (endings: Endings) => Promise<void>): Promise<void> {
  const endings = new Endings();
  let isInterrupted = false;
  const interrupt = (): void => {
    // npm and the launcher repeat a signal.
    if (isInterrupted) return;
    isInterrupted = true;
    void endings.end().finally(() => process.exit(130));
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, interrupt);
  try {
    await work(endings);
  } catch (error) {
    // After an interruption everything that the work uses is gone.
    if (!isInterrupted) display.fail(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  } finally {
    if (!isInterrupted) await endings.end();
  }
}

/** Starts a node with an embedded PostgreSQL in a folder of its own. */
export async function startNode(
  endings: Endings,
  environment: Readonly<Record<string, string>> = {},
): Promise<{ readonly server: Server; readonly folder: string }> {
  const folder = await temporaryFolder('skein-demo-');
  endings.teardown(() => rm(folder, { recursive: true, force: true }));
  const server = new Server(await freePort(), { DATA_DIR: folder, RATE_LIMITS: 'off', ...environment });
  endings.teardown(() => server.stop());
  display.hop('node started, embedded PostgreSQL initialised', await server.start(), server.url);
  return { server, folder };
}
