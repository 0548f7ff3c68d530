/** Nodes that ask each other how they do: who answers, who does not, and one whose report has another shape. */
import { Registry } from 'prom-client';
import t from 'tap';
import { Health } from '../../../gateway/monitoring/health.ts';
import { FigureHistory } from '../../../gateway/system/figures.ts';
import { createReporter } from '../../../gateway/system/node-report.ts';
import { Reports } from '../../../gateway/system/reports.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { Metrics } from '../../../runtime/observability/metrics.ts';
import { LocalBus, LocalTransport } from '../../../runtime/transport/local.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { createReport } from './report-fixture.ts';

function createNodes(...nodeIds: string[]) {
  const clock = new VirtualClock();
  const bus = new LocalBus();
  const made: Record<string, number> = {};
  const create = (nodeId: string, report = () => Promise.resolve(createReport(nodeId))): Reports => {
    const transport = new LocalTransport({ clock, log: silentLog, bus });
    return new Reports({
      nodeId,
      transport,
      clock,
      log: silentLog,
      report() {
        made[nodeId] = (made[nodeId] ?? 0) + 1;
        return report();
      },
    });
  };
  return { clock, bus, made, create, nodes: nodeIds.map(nodeId => create(nodeId)) };
}

const gauges = {
  activations: 0,
  admitted: 0,
  deepestMailbox: 0,
  outgoing: 0,
  shards: 0,
  tasksRunning: 0,
  tasksWaiting: 0,
  reminders: 0,
};

const names = (reports: readonly { readonly nodeId: string }[]): string =>
  reports.map(({ nodeId }) => nodeId).join();

t.test('all answer, and nobody waits for longer than that takes', async t => {
  const { clock, nodes } = createNodes('one', 'two', 'three');
  const before = clock.now();
  t.equal(names(await nodes[0]!.ask(new Set(['two', 'three']))), 'one,two,three');
  t.equal(clock.now(), before);
  t.equal(names(await nodes[2]!.ask(new Set(['one', 'two']))), 'three,one,two');
});

t.test('whoever does not answer within a second is missing', async t => {
  const { clock, create, nodes } = createNodes('one', 'two');
  create('hangs', () => new Promise(() => undefined));
  create('fails', () => Promise.reject(new Error('no')));
  const before = clock.now();
  const asked = clock.until(nodes[0]!.ask(new Set(['two', 'hangs', 'fails', 'of-an-earlier-release'])));
  t.equal(names(await asked), 'one,two');
  t.equal(clock.now() - before, 1_000);
});

t.test('a node whose database does not answer reports before the others are done waiting', async t => {
  const clock = new VirtualClock();
  const answer = Promise.withResolvers<void>();
  const { registry } = new Metrics();
  const figures = new FigureHistory(registry, clock);
  await figures.start();
  t.teardown(() => figures.stop());
  const report = createReporter({
    nodeId: 'slow',
    startedAt: clock.now(),
    figures,
    health: new Health({
      checks: { database: () => answer.promise },
      registry: new Registry(),
      log: silentLog,
      checkDeadlineMs: 10_000,
    }),
    node: { stats: gauges, listBusiest: () => [] },
    stitches: { listFurthestBehind: () => [] },
    describeCluster: () => undefined,
  });
  const before = performance.now();
  t.match((await report()).node, { status: 'failed', failedChecks: ['database'] });
  t.ok(performance.now() - before < 9_000, 'not after the ten seconds that the check may take');
  answer.resolve();
});

t.test('a report of another format is none, and a member that nobody knows is left out', async t => {
  const { clock, create, nodes } = createNodes('one', 'unknown');
  create('newer', () => Promise.resolve({ ...createReport('newer'), format: 2 as 1 }));
  t.equal(names(await clock.until(nodes[0]!.ask(new Set(['newer'])))), 'one');
});

t.test('many who ask at once cost a node one report', async t => {
  const { made, nodes } = createNodes('one', 'two', 'three');
  await Promise.all([0, 0, 0, 1].map(index => nodes[index]!.ask(new Set(index === 0 ? ['two'] : ['one']))));
  t.ok((made['two'] ?? 0) <= 2, `${made['two']} reports`);
});
