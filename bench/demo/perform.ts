/** Runs a demonstration and takes away what it has made: at its end, where it fails, and where it is interrupted. */
import { display } from './display.ts';

export async function perform(work: () => Promise<void>, takeAway: () => Promise<void>): Promise<void> {
  let takenAway: Promise<void> | undefined;
  const end = (): Promise<void> => (takenAway ??= takeAway());
  let isInterrupted = false;
  const interrupt = (): void => {
    // npm and the launcher repeat a signal.
    if (isInterrupted) return;
    isInterrupted = true;
    void end().finally(() => process.exit(130));
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  try {
    await work();
  } catch (error) {
    // Whoever is interrupted has everything taken away.
    if (!isInterrupted) display.fail(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  } finally {
    await end();
  }
}
