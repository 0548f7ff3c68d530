/**
 * 200 runs at once, with a model that takes two seconds: their effect on the event loop and on the messages that come in meanwhile; and
 * the cost of a run when the node has nothing else to do.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { BenchDatabase } from '../support/bench-database.ts';
import { runLoad } from '../support/load.ts';
import { cpuSeconds, readMetric } from '../support/process-usage.ts';
import { count, fixed, median, table, times } from '../support/table.ts';
import { quick } from '../support/turns.ts';
import { AgentSetup, inParallel } from './agent-setup.ts';

const atOnce = quick(200, 20);
const rounds = quick(5, 1);
const script = { steps: 2, calls: 2 };
const slowMs = 2_000;
/** Messages on other threads of the same channel, at a rate that leaves the node room. */
const messages = { connections: 8, threads: 100, warmupMs: 500, measuredMs: quick(4_000, 500) };

export async function run(database: BenchDatabase): Promise<void> {
  const setup = await AgentSetup.start(database, 'skein_agent_load');
  const { server, target } = setup.skein;
  const inbound = async (): Promise<number> => (await runLoad({ ...target, ...messages })).p99Ms;
  const eventLoopP99 = async (): Promise<number> =>
    (await readMetric(server.url, 'nodejs_eventloop_lag_p99_seconds')) * 1_000;
  /** Starts the runs on threads of their own. Resolves with their ids. */
  const begin = async (delayMs: number): Promise<readonly string[]> => {
    const each = [...Array(atOnce).keys()];
    const threads = await inParallel(each, 16, () => setup.ask({ ...script, delayMs }));
    return inParallel(threads, 32, threadId => setup.run(threadId));
  };
  const end = (runs: readonly string[]): Promise<unknown> => inParallel(runs, 4, id => setup.end(id));
  await end(await begin(0));

  const idle: number[] = [];
  const busy: number[] = [];
  const lags: number[] = [];
  for (let round = 0; round < rounds; round++) {
    idle.push(await inbound());
    // Each look begins a new span.
    await eventLoopP99();
    const runs = await begin(slowMs);
    busy.push(await inbound());
    lags.push(await eventLoopP99());
    await end(runs);
  }

  const costs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const threads = await inParallel([...Array(atOnce).keys()], 16, () =>
      setup.ask({ ...script, delayMs: 0 }),
    );
    const from = cpuSeconds(server.pid);
    const runs = await inParallel(threads, 32, threadId => setup.run(threadId));
    // Few requests in this time, so that they do not count for the runs.
    await pause(3_000);
    await end(runs);
    costs.push(((cpuSeconds(server.pid) - from) / atOnce) * 1_000);
  }
  console.log(
    `\n${atOnce} runs at once, a model that takes ${slowMs / 1_000} s (medians of ${rounds} rounds)\n`,
  );
  const cost = `processor time of a run of ${count(3)} steps and ${count(4)} calls`;
  const rows = [
    ['delay of the event loop, p99', `${fixed(median(lags))} ms`, 'under 50 ms'],
    ['inbound p99 beside them', `${fixed(median(busy))} ms`, ''],
    ['inbound p99 without them', `${fixed(median(idle))} ms`, ''],
    ['the former against the latter', times(median(busy) / median(idle)), 'at most 2 x'],
    [cost, `${fixed(median(costs))} ms`, 'under 15 ms'],
  ];
  console.log(table(['', 'measured', 'target'], rows));
}
