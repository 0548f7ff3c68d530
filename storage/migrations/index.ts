/** The schema's migrations, in their order. */
export { migrations } from './list.ts';
