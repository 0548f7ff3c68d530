/**
 * A process of its own that owns an embedded database: `embedded-owner.ts <folder>`. Prints one line of JSON when the
 * server is ready or refused; then `exit` on its standard input ends it normally, without stopping the server first.
 */
import { silentLog } from '../../runtime/observability/log.ts';
import { FolderInUse, startEmbedded } from '../../storage/embedded/start.ts';

const say = (value: object) => process.stdout.write(`${JSON.stringify(value)}\n`);

try {
  const { url, pid, adopted } = await startEmbedded({ folder: process.argv[2] ?? '', log: silentLog });
  process.stdin.once('data', () => process.exit(0));
  say({ url, pid, adopted });
} catch (error) {
  if (!(error instanceof FolderInUse)) throw error;
  say({ message: error.message, holder: error.pid });
}
