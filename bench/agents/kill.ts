/**
 * kill -9 at random moments while runs are under way: every run has to end, no tool is called again for a call whose result was
 * recorded, and no thread gets two answers. Of the two tools one may be asked again when its answer was lost, the other may not.
 */
import type { BenchDatabase } from '../support/bench-database.ts';
import { count, table } from '../support/table.ts';
import { quick } from '../support/turns.ts';
import { hasEnded, inParallel, repeat, AgentSetup, type Run } from './agent-setup.ts';

const runs = quick(200, 20);
const kills = quick(10, 2);
const script = { steps: 4, calls: 2, delayMs: 150 };
/** Runs that begin together, and get a kill within the time that they take. */
const portion = runs / kills;
const killWithinMs = 900;

export async function run(database: BenchDatabase): Promise<void> {
  await AgentSetup.with(database, 'skein_agent_kill', 'auto', async setup => {
    const begun: Run[] = [];
    let underWay = 0;
    for (let kill = 0; kill < kills; kill++) {
      const threads = await repeat(portion, 8, () => setup.ask(script));
      const started = await inParallel(threads, portion, threadId => setup.run(threadId));
      begun.push(...started);
      await new Promise(resolve => setTimeout(resolve, Math.random() * killWithinMs));
      await setup.skein.server.kill();
      await setup.skein.server.start();
      const left = await inParallel(started, portion, run => setup.read(run));
      underWay += left.filter(run => !hasEnded(run)).length;
    }
    const ended = await inParallel(begun, 16, run => setup.end(run));
    const answers = await inParallel(ended, 16, async ({ threadId }) => {
      const messages = await setup.messages(threadId);
      return messages.filter(({ direction }) => direction === 'outbound').length;
    });
    const calls = ended.flatMap(run => run.trace.steps.flatMap(step => step.toolCalls));
    const arrivals = ({ callId }: { callId: string }): number => setup.arrivals.get(callId) ?? 0;
    // An attempt is committed before it is made; and after the one whose answer was recorded there is none.
    const beyond = calls.filter(call => arrivals(call) > call.attempts);
    const repeated = calls.filter(
      call => call.status === 'succeeded' && arrivals(call) !== call.result?.arrival,
    );
    const countCalls = (name: string): number => calls.filter(call => call.status === name).length;
    const status = (name: string): number => ended.filter(run => run.status === name).length;
    const unanswered = ended.filter((run, i) => run.status === 'succeeded' && answers[i] === 0);
    console.log(`\nkill -9, ${kills} times, each while ${portion} runs are under way\n`);
    const rows = [
      ['runs that ended', count(ended.length), count(runs)],
      ['not ended yet when the node was back', count(underWay), ''],
      ['of them succeeded, failed', `${status('succeeded')}, ${status('failed')}`, ''],
      ['tool calls', count(calls.length), ''],
      ['whose answer was lost with the node', count(countCalls('interrupted')), ''],
      ['made again by their own rule', count(calls.filter(call => call.attempts > 1).length), ''],
      ['made again after a recorded result', count(repeated.length), '0'],
      ['made more often than their rule allows', count(beyond.length), '0'],
      ['threads with more than one answer', count(answers.filter(number => number > 1).length), '0'],
      ['runs that succeeded without an answer', count(unanswered.length), '0'],
    ];
    console.log(table(['', 'seen', 'target'], rows));
  });
}
