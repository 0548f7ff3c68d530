/** Node's options as `npm start` has them, for those that start a node without npm. */
import { readFileSync } from 'node:fs';

const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly scripts: { readonly start: string };
};

/**
 * `--max-semi-space-size=64`: with room for the young, collecting them costs 6 microseconds a message and not 13.
 *
 * `--experimental-async-context-frame`, the way of later versions of Node: with Node 22's own, the first transaction of the ORM,
 * which keeps its context in an `AsyncLocalStorage`, has the process track every promise from then on, and a message costs 60
 * microseconds and not 50.
 */
export const nodeOptions = scripts.start.split(' ').filter(word => word.startsWith('--'));
