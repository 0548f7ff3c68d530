/** Looks at everything that a node with this environment would use, one by one. Changes nothing, but for an object in a bucket that it removes again. */
import { type Config, ConfigError, readConfig } from '../config/index.ts';
import { examineDatabase } from './database.ts';
import { failed, type Finding, note, ok } from './finding.ts';
import {
  examineAddress,
  examineCertificate,
  examineDisk,
  examineMail,
  examineMedia,
  examineNats,
  examineWebCertificate,
} from './surroundings.ts';

/** @param version of this program */
export async function* examine(
  environment: Readonly<Record<string, string | undefined>>,
  version: string,
): AsyncGenerator<Finding> {
  yield ok('program', `Skein ${version}, Node ${process.version}`);
  let config: Config;
  try {
    config = readConfig(environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const problem of error.problems) yield failed('configuration', problem);
    return;
  }
  yield config.exposures.length === 0
    ? ok('configuration', describe(config))
    : note('configuration', `INSECURE permits: ${config.exposures.join('; ')}`);
  yield await examineDisk(config);
  yield* examineDatabase(config);
  yield await examineNats(config);
  yield await examineMedia(config);
  yield await examineMail(config);
  yield await examineCertificate(config);
  const ofProxy = await examineWebCertificate(config);
  if (ofProxy !== undefined) yield ofProxy;
  yield await examineAddress(config);
}

function describe({ databaseUrl, natsUrls }: Config): string {
  if (natsUrls !== undefined) return 'a node of a cluster';
  return databaseUrl === undefined
    ? 'a node of its own, with everything in DATA_DIR'
    : 'one node on a database of yours';
}
