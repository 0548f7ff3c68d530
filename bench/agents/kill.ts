/**
 * kill -9 at random moments while runs are under way: every run has to end, no tool is called again for a call whose result was
 * recorded, and no thread gets two answers. Of the two tools one may be asked again when its answer was lost, the other may not.
 */
import type { BenchDatabase } from '../support/bench-database.ts';
import { count, table } from '../support/table.ts';
import { inParallel, Stage, type Run } from './stage.ts';

const runs = 200;
const kills = 10;
const script = { steps: 4, calls: 2, delayMs: 150 };
/** Runs that begin together, and get a kill. */
const portion = runs / kills;

export async function benchAgentKill(database: BenchDatabase): Promise<void> {
  await Stage.with(database, 'skein_agent_kill', 'auto', async stage => {
    const begun: Run[] = [];
    for (let kill = 0; kill < kills; kill++) {
      const threads = await inParallel(Array.from({ length: portion }), 8, () => stage.ask(script));
      begun.push(...(await inParallel(threads, portion, threadId => stage.run(threadId))));
      await new Promise(resolve => setTimeout(resolve, Math.random() * 1_500));
      await stage.skein.server.kill();
      await stage.skein.server.start();
    }
    const ended = await inParallel(begun, 16, run => stage.end(run));
    const answers = await inParallel(ended, 16, async ({ threadId }) => {
      const messages = await stage.messages(threadId);
      return messages.filter(({ direction }) => direction === 'outbound').length;
    });
    const calls = ended.flatMap(run => run.trace.steps.flatMap(step => step.toolCalls));
    const arrivals = ({ callId }: { callId: string }): number => stage.tools.arrivals.get(callId) ?? 0;
    // An attempt is committed before it is made: one beyond them was made after the result, or behind the run's back.
    const repeated = calls.filter(call => arrivals(call) > call.attempts);
    const status = (name: string): number => ended.filter(run => run.status === name).length;
    console.log(`\nkill -9, ${kills} times, with ${portion} runs under way each time\n`);
    const rows = [
      ['runs that ended', count(ended.length), count(runs)],
      ['of them succeeded, failed', `${status('succeeded')}, ${status('failed')}`, ''],
      ['tool calls', count(calls.length), ''],
      [
        'whose answer was lost with the node',
        count(calls.filter(call => call.status === 'interrupted').length),
        '',
      ],
      ['made again by their own rule', count(calls.filter(call => call.attempts > 1).length), ''],
      ['made again after a recorded result', count(repeated.length), '0'],
      ['threads with more than one answer', count(answers.filter(number => number > 1).length), '0'],
      [
        'runs that succeeded without an answer',
        count(answers.filter((n, i) => n === 0 && ended[i]?.status === 'succeeded').length),
        '0',
      ],
    ];
    console.log(table(['', 'seen', 'target'], rows));
  });
}
