// @ts-check
/** The options of Node that this project's programs run with. This is the only place that names them. */

/**
 * For every program.
 *
 * `--experimental-async-context-frame` is how later versions of Node keep an `AsyncLocalStorage`. Node 22's default tracks every promise
 * of the process as soon as one store has been used, which the ORM's first transaction does: a message then costs 60 microseconds
 * and not 50.
 */
export const nodeOptions = ['--experimental-async-context-frame'];

/**
 * For the server (gateway/main.ts), also where it is started without the launcher.
 *
 * `--max-semi-space-size=64` gives young objects room: their collection costs 6 microseconds a message and not 13.
 */
export const serverOptions = [...nodeOptions, '--max-semi-space-size=64'];
