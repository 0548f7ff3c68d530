/** kill -9 of a node under load: its threads are taken over by the others, and nothing that was acknowledged is lost. */
import t from 'tap';
import { shardOf } from '../../runtime/shards.ts';
import { TestCluster } from './support/cluster.ts';
import type { Answer } from './support/load.ts';
import { checkAll, setScene } from './support/verdict.ts';

t.setTimeout(90_000);

const kills = 3;

/** For each of the shards' threads: how long after the fault a write to it was acknowledged again, in milliseconds. */
function recoveries(answers: readonly Answer[], shards: ReadonlySet<number>, count: number, at: number) {
  const first = new Map<string, number>();
  for (const { threadId, sentAt, answeredAt, tries } of answers) {
    // An answer that was on its way when the node died is none of its successor's.
    const isAfter = answeredAt > at && (sentAt > at || tries > 1);
    if (!isAfter || !shards.has(shardOf(threadId, count)) || first.has(threadId)) continue;
    // Threads that came to be afterwards have not been away.
    if (answers.some(answer => answer.threadId === threadId && answer.answeredAt < at)) {
      first.set(threadId, answeredAt - at);
    }
  }
  return [...first.values()].sort((a, b) => a - b);
}

t.test(`${kills} times kill -9 of one of three nodes under load`, async t => {
  const cluster = await TestCluster.start(t);
  const scene = await setScene(t, cluster);
  const { load } = scene;
  const all: number[] = [];
  for (let kill = 0; kill < kills; kill++) {
    await load.more(400);
    const victim = cluster.running[kill % 2];
    if (victim === undefined) throw new Error('no node to kill');
    const shards = await cluster.shardsOf(victim);
    const at = performance.now();
    await victim.kill();
    load.spare(victim);
    const threads = new Set(
      load.answers
        .filter(({ threadId }) => shards.has(shardOf(threadId, cluster.shards)))
        .map(a => a.threadId),
    );
    t.ok(shards.size > 0 && threads.size > 0, `it had ${shards.size} shards and ${threads.size} threads`);
    await load.more(600);
    const recovered = recoveries(load.answers, shards, cluster.shards, at);
    t.ok(recovered.length > 0);
    all.push(...recovered);
    t.comment(`kill ${kill + 1}: ${recovered.length} threads, ${recovered.map(Math.round).join(' ')} ms`);
    load.use(await cluster.add());
    await cluster.balanced();
  }
  await checkAll(t, cluster, scene);
  all.sort((a, b) => a - b);
  const p99 = all[Math.ceil(all.length * 0.99) - 1] ?? Infinity;
  t.comment(
    `writes to a dead node's threads succeed again: p99 ${Math.round(p99)} ms, max ${Math.round(all.at(-1) ?? 0)} ms`,
  );
});
