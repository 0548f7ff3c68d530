/** Two operators who resolve one suggestion at once; and a human who writes while an automatic answer is on its way. */
import { randomBytes } from 'node:crypto';
import { ApiError } from '../demo/api.ts';
import type { BenchDatabase } from '../support/bench-database.ts';
import { count, table } from '../support/table.ts';
import { quick } from '../support/turns.ts';
import { inParallel, AgentSetup } from './agent-setup.ts';

const times = quick(1_000, 20);
const atOnce = 8;
const everyTime = [...Array(times).keys()];

/** 200, or the status that it was refused with. */
async function getStatus(work: Promise<unknown>): Promise<number> {
  try {
    await work;
    return 200;
  } catch (error) {
    if (error instanceof ApiError) return error.status;
    throw error;
  }
}

async function resolvedTwice(setup: AgentSetup): Promise<readonly number[]> {
  const threadId = await setup.ask({ steps: 0, calls: 0, delayMs: 0 });
  const run = await setup.end(await setup.run(threadId));
  const { projectId } = setup.skein;
  const path = `/agent-runs/${run.agentRunId}/resolve-suggestion`;
  const resolve = (action: string): Promise<number> =>
    getStatus(setup.operator.post(path, { projectId, action }));
  return await Promise.all([resolve('approve'), resolve('discard')]);
}

/** Whether an automatic message came after that of a human who was first. */
async function raced(setup: AgentSetup, index: number): Promise<'agent first' | 'human first' | 'violated'> {
  const threadId = await setup.ask({ steps: 0, calls: 0, delayMs: 20 });
  const { projectId } = setup.skein;
  const started = await setup.run(threadId);
  // From well before the answer to well after.
  await new Promise(resolve => setTimeout(resolve, index % 200));
  const body = { projectId, body: 'A human was here.' };
  await setup.operator.post(`/threads/${threadId}/messages`, body, randomBytes(8).toString('hex'));
  await setup.end(started);
  const messages = await setup.messages(threadId);
  const human = messages.find(({ actor }) => actor.type === 'user')?.sequence ?? 0;
  const automatic = messages.find(({ actor }) => actor.type === 'agent')?.sequence;
  if (automatic === undefined) return 'human first';
  return automatic > human ? 'violated' : 'agent first';
}

export async function run(database: BenchDatabase): Promise<void> {
  await AgentSetup.with(database, 'skein_agent_suggest', 'suggest', async setup => {
    const outcomes = await inParallel(everyTime, atOnce, () => resolvedTwice(setup));
    const exact = outcomes.filter(statuses => [...statuses].sort((a, b) => a - b).join() === '200,409');
    console.log(`\nTwo operators resolve one suggestion at once, ${count(times)} times\n`);
    console.log(
      table(
        ['', 'seen', 'target'],
        [['one of them wins, and the other gets 409', count(exact.length), count(times)]],
      ),
    );
  });
  await AgentSetup.with(database, 'skein_agent_auto', 'auto', async setup => {
    const outcomes = await inParallel(everyTime, atOnce, index => raced(setup, index));
    const number = (name: string): string => count(outcomes.filter(outcome => outcome === name).length);
    console.log(`\nA human writes while an automatic answer is on its way, ${count(times)} times\n`);
    const rows = [
      ['the human was first: nothing automatic was sent', number('human first'), ''],
      ['the agent was first', number('agent first'), ''],
      ['an automatic message after the human’s', number('violated'), '0'],
    ];
    console.log(table(['', 'seen', 'target'], rows));
  });
}
