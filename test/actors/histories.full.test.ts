/** Many random histories of the actors. */
import t from 'tap';
import { testRuns } from './run/run.property.ts';
import { testStitches } from './stitch/stitch.property.ts';
import { testAgentHandling } from './thread/agent-handling.property.ts';
import { testThreads } from './thread/thread.property.ts';

testAgentHandling(t, 400);
testRuns(t, 1_000);
testStitches(t, 1_000);
testThreads(t, 200);
