/** What the commands of operators work on: the configuration, and the embedded database. Apart from operator-command.ts, since not all load it. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { silentLog } from '../runtime/observability/index.ts';
import { FolderInUse, readEmbeddedUrl, startEmbedded } from '../storage/embedded/index.ts';
import { type Config, ConfigError, readConfig } from './config/index.ts';
import { Refused } from './operator-command.ts';

/** The configuration by the variables that are named. The rest of a node's may be missing, or wrong, where a command runs. */
export function readEnvironment(...names: readonly (keyof NodeJS.ProcessEnv & string)[]): Config {
  const given = Object.fromEntries(names.map(name => [name, process.env[name]]));
  try {
    return readConfig({ ...given, HOST: '127.0.0.1' });
  } catch (error) {
    throw error instanceof ConfigError ? new Refused(error.message, 78) : error;
  }
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
