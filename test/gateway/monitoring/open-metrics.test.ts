/** The OpenMetrics format: every type of metric, and what a real Prometheus reads of it, exemplars too. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import t from 'tap';
import { Health } from '../../../gateway/monitoring/health.ts';
import { formatOpenMetrics, prefersOpenMetrics } from '../../../gateway/monitoring/open-metrics.ts';
import { BucketHistogram, HistogramBuckets } from '../../../runtime/observability/histogram.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { findDebianProgram } from '../../support/debian-program.ts';
import { eventually } from '../../support/eventually.ts';
import { pickPort } from '../../support/free-port.ts';
import { processGuard } from '../../support/process-guard.ts';
import { startServer } from '../http/http-fixture.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';
const traceparent = `00-${traceId}-${spanId}-01`;

/** One metric of each type, and an observation that was traced. */
function createRegistry(): Registry {
  const registry = new Registry();
  const registers = [registry];
  const labelNames = ['kind'];
  new Counter({ name: 'things_total', help: 'Things', labelNames, registers }).inc({ kind: 'a "b"\n\\' }, 3);
  new Gauge({ name: 'size', help: 'Its "size"', registers }).set(1.5);
  new Histogram({ name: 'plain', help: 'Plain', labelNames, buckets: [0.5], registers }).observe(
    { kind: 'a' },
    7,
  );
  const buckets = new HistogramBuckets([1, 2.5]);
  new BucketHistogram(registry, 'took_milliseconds', 'Time', buckets);
  buckets.observe(0.5);
  buckets.observe(2, traceparent);
  buckets.observe(2.25);
  return registry;
}

t.test('every type, with labels escaped and bounds as numbers', async t => {
  const text = await formatOpenMetrics(createRegistry());
  t.strictSame(text.replace(/ \d{10}\.\d{3}$/m, ' (now)').split('\n'), [
    '# HELP things Things',
    '# TYPE things counter',
    'things_total{kind="a \\"b\\"\\n\\\\"} 3',
    '# HELP size Its \\"size\\"',
    '# TYPE size gauge',
    'size 1.5',
    '# HELP plain Plain',
    '# TYPE plain histogram',
    'plain_bucket{le="0.5",kind="a"} 0',
    'plain_bucket{le="+Inf",kind="a"} 1',
    'plain_sum{kind="a"} 7',
    'plain_count{kind="a"} 1',
    '# HELP took_milliseconds Time',
    '# TYPE took_milliseconds histogram',
    'took_milliseconds_bucket{le="1.0"} 1',
    `took_milliseconds_bucket{le="2.5"} 3 # {trace_id="${traceId}",span_id="${spanId}"} 2 (now)`,
    'took_milliseconds_bucket{le="+Inf"} 3',
    'took_milliseconds_sum 4.75',
    'took_milliseconds_count 3',
    '# EOF',
    '',
  ]);
});

t.test(
  'the older format has the same numbers, no exemplars, and its own names, whichever was asked for first',
  async t => {
    const registry = createRegistry();
    const before = await registry.metrics();
    t.match(before, '\nthings_total{');
    t.match(before, '\ntook_milliseconds_bucket{le="2.5"} 3\n');
    t.notMatch(before, traceId);
    const open = await formatOpenMetrics(registry);
    t.equal(await registry.metrics(), before);
    t.equal(await formatOpenMetrics(registry), open, 'a scrape changes nothing');
  },
);

t.test('each bucket keeps the newest of those that were traced', async t => {
  const buckets = new HistogramBuckets([1, 2]);
  t.equal(buckets.example(0), undefined);
  const other = traceparent.replace(traceId, 'a'.repeat(32));
  for (const [value, trace] of [
    [1, traceparent],
    [0.25, other],
    [5, traceparent],
    [6, undefined],
  ] as const) {
    buckets.observe(value, trace);
  }
  t.match(buckets.example(0), { value: 0.25, traceparent: other });
  t.equal(buckets.example(1), undefined);
  t.match(buckets.example(2), { value: 5, traceparent });
});

t.test('OpenMetrics is for whoever prefers it', async t => {
  const older = 'text/plain;version=0.0.4';
  for (const [accept, wanted] of [
    ['', false],
    ['*/*', false],
    [older, false],
    ['application/openmetrics-text', true],
    // Prometheus 2 and 3, by default.
    [`application/openmetrics-text;version=1.0.0;q=0.5,${older};q=0.2,*/*;q=0.1`, true],
    [`application/openmetrics-text; version=1.0.0; escaping=allow-utf-8;q=0.6,${older};q=0.3`, true],
    // Prometheus with `scrape_protocols: [PrometheusText0.0.4, OpenMetricsText1.0.0]`.
    [`${older};q=0.6,application/openmetrics-text;version=1.0.0;q=0.5`, false],
    [`application/openmetrics-text;q=0,${older};q=0`, false],
    ['application/openmetrics-text;q=nonsense', false],
  ] as const) {
    t.equal(prefersOpenMetrics(accept), wanted, accept);
  }
});

t.test('Prometheus takes what a node gives, and finds the trace of a bucket', async t => {
  const health = new Health({ checks: {}, registry: createRegistry(), log: silentLog });
  const { url } = await startServer(t, server => health.serve(server));
  const program = await findDebianProgram({
    name: 'prometheus',
    variable: 'PROMETHEUS',
    advice:
      'prometheus was not found: set PROMETHEUS to its path, or install it (Debian and Ubuntu: apt-get install prometheus)',
  });
  const folder = await mkdtemp(join(tmpdir(), `skein-prometheus-${process.pid}-`));
  await writeFile(
    join(folder, 'prometheus.yml'),
    `global: { scrape_interval: 1s }
scrape_configs: [{ job_name: skein, static_configs: [{ targets: ['${new URL(url).host}'] }] }]
`,
  );
  const port = await pickPort();
  const prometheus = spawn(
    program,
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--enable-feature=exemplar-storage',
    ],
    { stdio: 'ignore' },
  );
  const ended = new Promise(resolve => prometheus.once('exit', resolve));
  const endGuard = processGuard(prometheus.pid ?? 0, 'KILL');
  t.teardown(async () => {
    prometheus.kill();
    await ended;
    endGuard();
    await rm(folder, { recursive: true, force: true });
  });
  const ask = async (path: string): Promise<unknown> => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`).catch(() => undefined);
    return answer?.ok === true ? ((await answer.json()) as { data: unknown }).data : undefined;
  };
  const [hour, now] = [3_600, Date.now() / 1_000];
  const query = `query_exemplars?query=took_milliseconds_bucket&start=${now - hour}&end=${now + hour}`;
  let found: unknown;
  await eventually('exemplar', async () => {
    found = await ask(query);
    return Array.isArray(found) && found.length > 0;
  });
  t.match(found, [
    {
      seriesLabels: { __name__: 'took_milliseconds_bucket', job: 'skein', le: '2.5' },
      exemplars: [{ labels: { trace_id: traceId, span_id: spanId }, value: '2' }],
    },
  ]);
  t.match(await ask('query?query=things_total'), { result: [{ value: [Number, '3'] }] });
  t.match(await ask('targets'), { activeTargets: [{ health: 'up', lastError: '' }] });
});
