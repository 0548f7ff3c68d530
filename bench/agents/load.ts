/**
 * 200 runs at once, with a model that takes two seconds: what they do to the event loop and to the messages that come in meanwhile; and
 * what a run costs the node when nothing else is to be done.
 */
import type { BenchDatabase } from '../support/bench-database.ts';
import { runLoad } from '../support/load.ts';
import { readMetric } from '../support/metric.ts';
import { cpuSeconds } from '../support/process-usage.ts';
import { count, fixed, median, table, times } from '../support/table.ts';
import { quick as small } from '../support/turns.ts';
import { inParallel, repeat, AgentSetup } from './agent-setup.ts';

const atOnce = small(200, 20);
const slow = { steps: 2, calls: 2, delayMs: 2_000 };
const quick = { steps: 2, calls: 2, delayMs: 0 };
const rounds = small(5, 1);
const measuredMs = small(4_000, 500);

/** The p99 of messages on other threads of the same channel, at a rate that leaves the node room. */
async function inbound({ skein }: AgentSetup): Promise<number> {
  const setting = { connections: 8, threads: 100, warmupMs: 500, measuredMs };
  return (await runLoad({ ...skein.target, ...setting })).p99Ms;
}

async function eventLoopP99({ skein }: AgentSetup): Promise<number> {
  return (await readMetric(skein.server.url, 'nodejs_eventloop_lag_p99_seconds')) * 1_000;
}

async function begin(
  setup: AgentSetup,
  script: typeof slow,
  number: number,
): Promise<{ ended(): Promise<unknown> }> {
  const threads = await repeat(number, 16, () => setup.ask(script));
  const runs = await inParallel(threads, 32, threadId => setup.run(threadId));
  return { ended: () => inParallel(runs, 4, run => setup.end(run)) };
}

export async function run(database: BenchDatabase): Promise<void> {
  await AgentSetup.with(database, 'skein_agent_load', 'auto', async setup => {
    const { pid } = setup.skein.server;
    await (await begin(setup, quick, atOnce)).ended();

    const idle: number[] = [];
    const busy: number[] = [];
    const lags: number[] = [];
    for (let round = 0; round < rounds; round++) {
      idle.push(await inbound(setup));
      await eventLoopP99(setup);
      const runs = await begin(setup, slow, atOnce);
      busy.push(await inbound(setup));
      lags.push(await eventLoopP99(setup));
      await runs.ended();
    }

    const costs: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const threads = await repeat(atOnce, 16, () => setup.ask(quick));
      const from = cpuSeconds(pid);
      const runs = await inParallel(threads, 32, threadId => setup.run(threadId));
      // Asked for seldom, so that it is the runs that are measured.
      await new Promise(resolve => setTimeout(resolve, 3_000));
      await inParallel(runs, 4, run => setup.end(run));
      costs.push(((cpuSeconds(pid) - from) / atOnce) * 1_000);
    }
    console.log(
      `\n${atOnce} runs at once, a model that takes ${slow.delayMs / 1_000} s (medians of ${rounds} rounds)\n`,
    );
    const rows = [
      ['delay of the event loop, p99', `${fixed(median(lags))} ms`, 'under 50 ms'],
      ['inbound p99 beside them', `${fixed(median(busy))} ms`, ''],
      ['inbound p99 without them', `${fixed(median(idle))} ms`, ''],
      ['the former against the latter', times(median(busy) / median(idle)), 'at most 2 x'],
      [
        `processor time of a run of ${count(3)} steps and ${count(4)} calls`,
        `${fixed(median(costs))} ms`,
        'under 15 ms',
      ],
    ];
    console.log(table(['', 'measured', 'target'], rows));
  });
}
