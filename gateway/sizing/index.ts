/** How much a load needs, by what was measured: `npm run capacity`. */
export { estimate, type Estimate, type Load, type Machines, type Share } from './estimate.ts';
export { figures, type Figures } from './figures.ts';
