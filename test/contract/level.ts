/** Divides checks between `npm test` and `npm run test:all`. */

/** `quick`: in `npm test`, files named `*.test.ts`. `full`: what `npm run test:all` adds, in `*.full.test.ts`. */
export type Level = 'quick' | 'full';

/** Returns every `nth` check for `quick`, and the others for `full`. */
export function select<T>(level: Level, checks: readonly T[], nth = 3): T[] {
  return checks.filter((_, at) => (at % nth === 0) === (level === 'quick'));
}
