/** Many random histories of the runtime. */
import t from 'tap';
import { testTwoWriters } from './actor/two-writers.property.ts';
import { testChaos } from './cluster/chaos.property.ts';

testTwoWriters(t, 400);
testChaos(t, 150);
