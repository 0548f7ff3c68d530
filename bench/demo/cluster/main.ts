/**
 * `npm run demo:cluster [-- --seconds 30]`: PostgreSQL, a nats-server and three nodes; traffic over REST to all of them; one node
 * is killed and started again, another one is drained. Shows how the shards move, and checks the promises of the cluster at the end: exit code 1
 * when one is broken.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { TestCluster } from '../../../test/cluster/support/cluster.ts';
import { Load } from '../../../test/cluster/support/load.ts';
import { Recovery } from '../../../test/cluster/support/recovery.ts';
import { Client, Line } from '../../../test/node/client.ts';
import { signUp } from '../../../test/node/tenant.ts';
import type { NodeProcess } from '../../../test/support/node-process.ts';
import type { Endings } from '../../support/endings.ts';
import { createVerdict } from '../../cluster/cluster-setup.ts';
import { display, since } from '../display.ts';
import { perform } from '../perform.ts';
import { Show } from './show.ts';

/** As parts of the whole. */
const killAt = 0.2;
const againAt = 0.35;
const drainAt = 0.7;
const defaultSeconds = 30;
/** What is seen of the cluster after the drain, at least. */
const tailMs = 3_000;
const senders = 24;
/** Between an answer and its sender's next request. */
const pauseMs = 40;

interface Demonstration {
  readonly cluster: TestCluster;
  readonly load: Load;
  readonly show: Show;
  readonly totalMs: number;
}

function secondsAsked(): number {
  const { values } = parseArgs({ options: { seconds: { type: 'string' }, help: { type: 'boolean' } } });
  const seconds = Number(values.seconds ?? defaultSeconds);
  if (values.help === true || !(seconds >= 10 && seconds <= 600)) {
    console.error('Usage: npm run demo:cluster [-- --seconds 10..600]');
    process.exit(values.help === true ? 0 : 2);
  }
  return seconds;
}

async function until({ show, totalMs }: Demonstration, part: number): Promise<void> {
  await pause(Math.max(0, totalMs * part - show.elapsedMs));
}

const plural = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

/** Gives the milliseconds after which writes to each thread of the node succeeded again, ascending, and the number of unanswered requests. */
async function kill(
  demonstration: Demonstration,
  victim: NodeProcess,
): Promise<{ readonly recovered: readonly number[]; readonly unanswered: number }> {
  const { cluster, load, show } = demonstration;
  const shards = await cluster.getShards(victim);
  const recovery = new Recovery(load, await cluster.ownership(victim));
  const before = load.failed;
  show.is(victim, 'killed');
  show.say(
    `kill -9 of ${victim.id}, which owns ${shards.size} shards and ${plural(recovery.threads, 'busy thread')}`,
  );
  load.spare(victim);
  await victim.kill();
  const recovered = await recovery.complete();
  const last = recovered.at(-1) ?? 0;
  show.say(`every one of its threads is written to again, the last after ${last.toFixed(0)} ms`);
  await until(demonstration, againAt);
  show.is(victim, 'starting');
  show.say(`${victim.id} is started again`);
  await victim.start();
  load.use(victim);
  show.is(victim, 'serving');
  await cluster.balanced();
  show.say(`${victim.id} has its share of the shards`);
  return { recovered, unanswered: load.failed - before };
}

async function drain(
  { load, show }: Demonstration,
  node: NodeProcess,
): Promise<{ readonly failed: number; readonly code: number | null }> {
  const before = load.failed;
  show.is(node, 'draining');
  show.say(`SIGTERM to ${node.id}: it hands its shards over`);
  const from = performance.now();
  const { code } = await node.stop();
  load.spare(node);
  show.is(node, 'gone');
  show.say(`${node.id} has ended after ${since(from).toFixed(0)} ms`);
  return { failed: load.failed - before, code };
}

async function demonstrate(endings: Endings, totalMs: number): Promise<void> {
  display.title('A cluster, from nothing');
  const from = performance.now();
  const cluster = await TestCluster.start(endings, { durable: true, environment: { LOG_LEVEL: 'info' } });
  display.hop('PostgreSQL, nats-server and three nodes started', since(from), cluster.nats.url);
  const [first, victim, drained] = cluster.nodes;
  if (first === undefined || victim === undefined || drained === undefined)
    throw new Error('nodes are missing');
  const line = new Line(first.url, endings);
  const tenant = await signUp(line);
  const load = new Load(endings, tenant, cluster.running, { senders, pauseMs });
  display.hop(
    `${senders} senders write to all of them`,
    undefined,
    cluster.nodes.map(({ url }) => url).join(' '),
  );

  const show = await Show.open(cluster, load);
  endings.teardown(() => Promise.resolve(show.end()));
  const demonstration = { cluster, load, show, totalMs };
  await until(demonstration, killAt);
  const killed = await kill(demonstration, victim);
  await until(demonstration, drainAt);
  const left = await drain(demonstration, drained);
  await pause(tailMs);
  await until(demonstration, 1);
  await load.stop();
  show.say('the load has ended; now all that was acknowledged is looked for');
  await pause(200);
  show.end();
  const client = new Client(line, tenant.key.bearer);
  const verdict = await createVerdict(client, tenant.projectId, [load]);

  display.title('What was promised');
  const promise = (isKept: boolean, text: string): void => {
    if (isKept) return display.hop(text);
    display.fail(text);
    process.exitCode = 1;
  };
  const { acknowledged, lost, doubled, outOfOrder, faults } = verdict;
  promise(
    lost + doubled + outOfOrder === 0,
    `${acknowledged} acknowledged: ${lost} lost, ${doubled} doubled, ${outOfOrder} out of order`,
  );
  for (const fault of faults) display.note(fault);
  promise(left.failed === 0 && left.code === 0, `SIGTERM: ${left.failed} requests failed`);
  const { recovered, unanswered } = killed;
  const range = `${recovered[0]?.toFixed(0) ?? '-'} to ${recovered.at(-1)?.toFixed(0) ?? '-'} ms`;
  promise(
    recovered.length > 0,
    `kill -9: writes to its ${plural(recovered.length, 'thread')} succeeded again after ${range}`,
  );
  display.note(`${plural(unanswered, 'request')} without an answer by the kill, repeated with their keys`);
}

const totalMs = secondsAsked() * 1_000;
await perform(endings => demonstrate(endings, totalMs));
process.exit();
