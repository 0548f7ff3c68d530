/**
 * 200 runs at once, with a model that takes two seconds: what they do to the event loop and to the messages that come in meanwhile; and
 * what a run costs the node when nothing else is to be done.
 */
import type { BenchDatabase } from '../support/bench-database.ts';
import type { LoadResult } from '../support/load.ts';
import { cpuSeconds } from '../support/process-usage.ts';
import { runLoad } from '../support/run-load.ts';
import { count, fixed, median, table, times } from '../support/table.ts';
import { inParallel, repeat, AgentSetup } from './agent-setup.ts';

const atOnce = 200;
const slow = { steps: 2, calls: 2, delayMs: 2_000 };
const quick = { steps: 2, calls: 2, delayMs: 0 };
const rounds = 5;

/** Messages on other threads of the same channel, at a rate that leaves the node room. */
function inbound({ skein }: AgentSetup, measuredMs: number): Promise<LoadResult> {
  return runLoad({
    ports: [skein.port],
    path: `/v1/channels/${skein.channelId}/inbound-messages`,
    headers: { Authorization: `Bearer ${skein.apiKey}` },
    connections: 8,
    warmupMs: 500,
    measuredMs,
    threads: 100,
    projectId: skein.projectId,
  });
}

/** The metric's value at the node, in milliseconds. */
async function eventLoopP99(setup: AgentSetup): Promise<number> {
  const text = await (await fetch(`${setup.skein.server.url}/metrics`)).text();
  const found = /^nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(text);
  if (found === null) throw new Error('the node does not tell the delay of its event loop');
  return Number(found[1]) * 1_000;
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

export async function benchAgentLoad(database: BenchDatabase): Promise<void> {
  await AgentSetup.with(database, 'skein_agent_load', 'auto', async setup => {
    const { pid } = setup.skein.server;
    await (await begin(setup, quick, atOnce)).ended();

    const idle: number[] = [];
    const busy: number[] = [];
    const lags: number[] = [];
    for (let round = 0; round < rounds; round++) {
      idle.push((await inbound(setup, 4_000)).p99Ms);
      await eventLoopP99(setup);
      const runs = await begin(setup, slow, atOnce);
      busy.push((await inbound(setup, 4_000)).p99Ms);
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
