import t from 'tap';
import { fuzzOperations } from './properties.ts';

await fuzzOperations(t, { composed: 6, changed: 2 }, 6);
