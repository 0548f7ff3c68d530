/** The web apps, as built files. */
export { serveWebApps, type WebOptions } from './serve.ts';
