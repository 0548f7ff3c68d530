/** Random histories of the runtime: few of them here, and many in histories.full.test.ts. */
import t from 'tap';
import { testTwoWriters } from './actor/two-writers.property.ts';
import { testChaos } from './cluster/chaos.property.ts';

testTwoWriters(t, 60);
testChaos(t, 25);
