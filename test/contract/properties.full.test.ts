import t from 'tap';
import { isFresh } from '../support/fuzz.ts';
import { fuzzOperations } from './properties.ts';

// `npm run fuzz` has new seeds, and time.
await fuzzOperations(t, { composed: isFresh ? 192 : 32, changed: 8 });
