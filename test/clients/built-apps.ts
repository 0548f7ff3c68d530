/** Builds the web apps once for the process that imports this file, unless `clients/dist` was built from the same sources. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

await promisify(execFile)(process.execPath, [
  fileURLToPath(new URL('../../clients/build.js', import.meta.url)),
]);
