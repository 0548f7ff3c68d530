/** Random histories of the actors: few of them here, and many in histories.full.test.ts. */
import t from 'tap';
import { testRuns } from './run/run.property.ts';
import { testStitches } from './stitch/stitch.property.ts';
import { testAgentHandling } from './thread/agent-handling.property.ts';
import { testThreads } from './thread/thread.property.ts';

testAgentHandling(t, 60);
testRuns(t, 120);
testStitches(t, 100);
testThreads(t, 25);
