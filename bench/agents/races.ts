/** Two operators who resolve one suggestion at once; and a human who writes while an automatic answer is on its way. */
import { randomBytes } from 'node:crypto';
import { ApiError } from '../demo/api.ts';
import type { BenchDatabase } from '../support/bench-database.ts';
import { count, table } from '../support/table.ts';
import { inParallel, Stage } from './stage.ts';

const times = 1_000;
const atOnce = 8;
const everyTime = Array.from({ length: times }, (_, index) => index);

/** 200, or the status that it was refused with. */
async function statusOf(work: Promise<unknown>): Promise<number> {
  try {
    await work;
    return 200;
  } catch (error) {
    if (error instanceof ApiError) return error.status;
    throw error;
  }
}

async function resolvedTwice(stage: Stage): Promise<readonly number[]> {
  const threadId = await stage.ask({ steps: 0, calls: 0, delayMs: 0 });
  const run = await stage.end(await stage.run(threadId));
  const { projectId } = stage.skein;
  const path = `/agent-runs/${run.agentRunId}/resolve-suggestion`;
  const resolve = (action: string): Promise<number> =>
    statusOf(stage.operator.post(path, { projectId, action }));
  return await Promise.all([resolve('approve'), resolve('discard')]);
}

/** Whether an automatic message came after that of a human who was first. */
async function raced(stage: Stage, index: number): Promise<'agent first' | 'human first' | 'violated'> {
  const threadId = await stage.ask({ steps: 0, calls: 0, delayMs: 20 });
  const { projectId } = stage.skein;
  const started = await stage.run(threadId);
  // From well before the answer to well after.
  await new Promise(resolve => setTimeout(resolve, index % 200));
  const body = { projectId, body: 'A human was here.' };
  await stage.operator.post(`/threads/${threadId}/messages`, body, randomBytes(8).toString('hex'));
  await stage.end(started);
  const messages = await stage.messages(threadId);
  const human = messages.find(({ actor }) => actor.type === 'user')?.sequence ?? 0;
  const automatic = messages.find(({ actor }) => actor.type === 'agent')?.sequence;
  if (automatic === undefined) return 'human first';
  return automatic > human ? 'violated' : 'agent first';
}

export async function benchAgentRaces(database: BenchDatabase): Promise<void> {
  await Stage.with(database, 'skein_agent_suggest', 'suggest', async stage => {
    const outcomes = await inParallel(everyTime, atOnce, () => resolvedTwice(stage));
    const exact = outcomes.filter(statuses => [...statuses].sort((a, b) => a - b).join() === '200,409');
    console.log(`\nTwo operators resolve one suggestion at once, ${count(times)} times\n`);
    console.log(
      table(
        ['', 'seen', 'target'],
        [['one of them wins, and the other gets 409', count(exact.length), count(times)]],
      ),
    );
  });
  await Stage.with(database, 'skein_agent_auto', 'auto', async stage => {
    const outcomes = await inParallel(everyTime, atOnce, index => raced(stage, index));
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
