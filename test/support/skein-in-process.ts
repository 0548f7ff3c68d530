/** A whole node in the test's own process, composed as main.ts composes it, on a real PostgreSQL. */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';
import { startSkein, type Skein } from '../../gateway/composition/start.ts';
import { readConfig } from '../../gateway/config/config.ts';
import { silentLog } from '../../runtime/observability/log.ts';
import { freshKey } from './accounts.ts';
import { dataRoot } from './memory-folder.ts';

/**
 * Ends with the test.
 *
 * @param databaseUrl of an empty database, or of one that other nodes use as well
 * @param variables of the environment, beside those of a node without rate limits
 */
export async function startSkeinOn(
  t: Test,
  databaseUrl: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<Skein> {
  const folder = await mkdtemp(join(dataRoot, `skein-test-${process.pid}-data-`));
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    DATA_DIR: folder,
    HOST: '127.0.0.1',
    PORT: '0',
    GRPC_PORT: 'off',
    SECRET_KEYS: freshKey(),
    TOKEN_KEYS: freshKey(),
    // Everybody here comes from one address, and more often than one may.
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'silent',
    // Nobody listens there.
    CHATAPP_GRAPH_URL: 'http://127.0.0.1:1',
    ...variables,
  });
  const skein = await startSkein(config, silentLog);
  t.teardown(async () => {
    await skein.stop();
    await rm(folder, { recursive: true, force: true });
  });
  return skein;
}
