/** What stands between an operator and a node that serves: `npm run doctor`. */
export { examine } from './examine.ts';
export type { Finding } from './finding.ts';
