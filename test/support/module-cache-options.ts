/** What a process needs to use the modules that earlier processes of the tests have prepared. */
import { fileURLToPath } from 'node:url';

/** Options of Node. */
export const moduleCacheOptions = ['--import', new URL('./module-cache.js', import.meta.url).href];

/** Variables of its environment: where V8 keeps what it has compiled (https://nodejs.org/api/module.html#module-compile-cache). */
export const moduleCacheEnvironment = {
  NODE_COMPILE_CACHE: fileURLToPath(
    new URL('../../node_modules/.cache/skein-tests/compiled', import.meta.url),
  ),
};
