/** docs/operate/capacity.md and `npm run capacity` say the same numbers. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { nodeOptions } from '../../../.config/node-options.js';
import { estimate, figures as f, type Load } from '../../../gateway/sizing/index.ts';
import { parseCodeSpans, readDocument, section, tableRows } from '../../docs/markdown.ts';
import { moduleCacheEnvironment, moduleCacheOptions } from '../../support/module-cache-options.ts';

const run = promisify(execFile);
const program = fileURLToPath(new URL('../../../gateway/capacity.ts', import.meta.url));
const page = readDocument('docs/operate/capacity.md');
const machines = { processors: 4, connections: 100 };

/** The example of the page. */
const load: Load = {
  messagesPerSecond: 10e6 / f.busySeconds,
  messagesPerDay: 10e6,
  webhooks: 1,
  runsPerSecond: 5,
  threads: 20_000,
  sockets: 200,
  days: 365,
};

const round = (value: number): string => String(Number(value.toPrecision(2)));
const gigabytes = (bytes: number): string => `${round(bytes / 1e9)} GB`;
const kilobytes = (bytes: number): string => `${(bytes / 1_000).toFixed(bytes < 500 ? 2 : 1)} kB`;
const kib = (bytes: number): string => `${bytes / 1_024} KiB`;

t.test('the page has the formulas with these figures, and the results of its example', async t => {
  const found = estimate(load, machines);
  const { reserve } = f;
  const runs = `${f.runMicros / 1_000} ms × \`r\``;
  const perMessage = `${f.nodeMicros} µs × \`m\``;
  const bare = Math.ceil(found.mainThreads) + 1;
  t.same(tableRows(section(page, 'How much you need')), [
    [
      'processors of all nodes',
      `${reserve} × (${perMessage} + ${f.webhookMicros} µs × \`m\` × \`w\` + ${runs})`,
      found.nodeProcessors.toFixed(2),
    ],
    [
      'nodes: their main threads',
      `${reserve} × (${perMessage} + ${f.webhookMainMicros} µs × \`m\` × \`w\` + ${runs}), rounded up, and one more; three or more for a cluster`,
      bare < found.nodes ? `${bare}, so ${found.nodes}` : String(found.nodes),
    ],
    [
      'processors of PostgreSQL',
      `${reserve} × (${f.databaseMicros} µs × \`m\` + ${f.webhookDatabaseMicros} µs × \`m\` × \`w\`)`,
      found.databaseProcessors.toFixed(2),
    ],
    [
      'memory of a node',
      `${f.nodeBytes / 1e6} MB + ${kib(f.threadBytes)} × \`t\` + ${kib(f.socketBytes)} × \`k\``,
      gigabytes(found.nodeMemory),
    ],
    [
      'connections of PostgreSQL',
      `${f.nodeConnections} for each node, and ${f.migrationConnections}`,
      String(found.connections),
    ],
    [
      'disk for good, a day more',
      `${kilobytes(f.messageBytes + f.wordBytes)} × \`d\`: \`messages\` ${f.messageBytes / 1_000}, \`message_words\` ${f.wordBytes / 1_000}`,
      gigabytes(found.foreverADay),
    ],
    [
      `disk for what is kept ${f.keptDays} days`,
      `${f.keptDays} × \`d\` × (${kilobytes(f.eventBytes)} + ${kilobytes(f.webhookBytes)} × \`w\`): \`events\`, and \`webhook_deliveries\` with \`webhook_attempts\``,
      gigabytes(found.keptMonth),
    ],
    [
      'disk for what is kept a day',
      `${kilobytes(f.keyBytes)} × \`d\`: \`idempotency_keys\``,
      gigabytes(found.keptDay),
    ],
    [
      'write-ahead log, a day',
      `${f.logBytes / 1_000} kB × \`d\` where batches are full, ${f.sparseLogBytes / 1_000} kB with webhooks where they are not`,
      gigabytes(found.logADay),
    ],
    ['processors of NATS', `${reserve} × ${f.natsMicros} µs × \`m\``, found.natsProcessors.toFixed(2)],
  ]);
  t.match(section(page, 'How much you need'), `\`d / ${f.busySeconds.toLocaleString('en-US')}\``);
});

t.test('the page has the measured figures that the formulas are of', async t => {
  const [measured = ''] = section(page, 'One node').split('### ');
  const rows = new Map(tableRows(measured).map(([what = '', figure = '']) => [what, figure]));
  t.match(rows.get('processor time of a message: the node, and PostgreSQL'), `to ${f.nodeMicros} µs each`);
  t.equal(f.databaseMicros, f.nodeMicros);
  t.equal(
    rows.get('processor time of an agent run of 3 steps and 4 tool calls, without the model'),
    `${f.runMicros / 1_000} ms`,
  );
  t.equal(rows.get('memory of an idle thread in memory'), kib(f.threadBytes));
  t.equal(rows.get('memory of an idle Console socket'), kib(f.socketBytes));
  const limits = new Map(
    tableRows(section(page, 'Limits of one node')).map(([what = '', most = '']) => [what, most]),
  );
  t.equal(limits.get('actors in memory'), f.nodeThreads.toLocaleString('en-US'));
  t.match(section(page, 'Connections to the database'), `Plan ${f.nodeConnections} for each node`);
});

t.test('what is fullest comes first', async t => {
  const first = (more: Partial<Load>, disk?: number): string | undefined =>
    estimate({ ...load, ...more }, { ...machines, disk }).shares[0]?.of;
  t.equal(first({}), "PostgreSQL's connections");
  t.equal(first({ threads: 590_000 }), 'threads in the memory of the nodes');
  t.equal(first({}, 1_000), "PostgreSQL's disk");
  const busy = { ...load, messagesPerSecond: 14_000 };
  t.equal(
    estimate(busy, { processors: 32, connections: 10_000 }).shares[0]?.of,
    'the main threads of the nodes',
  );
  t.equal(estimate(busy, { processors: 2, connections: 10_000 }).shares[0]?.of, "PostgreSQL's processors");
});

interface Ended {
  readonly code: number;
  readonly output: string;
}

async function capacity(...given: readonly string[]): Promise<Ended> {
  const options = { env: { PATH: process.env['PATH'] ?? '', ...moduleCacheEnvironment } };
  const command = [...nodeOptions, ...moduleCacheOptions, program, ...given];
  return run(process.execPath, command, options).then(
    ({ stdout }) => ({ code: 0, output: stdout }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, output: stderr }),
  );
}

t.test('the program prints the example that the page shows', async t => {
  const shown = /```sh\nnpm run capacity -- ([^\n]+)\n```\n\n```text\n([^]+?)\n```/.exec(
    section(page, 'How much you need'),
  );
  const [, given = '', output] = shown ?? [];
  t.same(await capacity(...given.split(' ')), { code: 0, output: `${output}\n` });
});

t.test('the program names its options and refuses a wrong one', async t => {
  const help = await capacity('--help');
  t.equal(help.code, 0);
  const spans = parseCodeSpans(section(page, 'How much you need'));
  for (const option of spans.filter(span => span.startsWith('--')))
    t.match(help.output, `${option} `, option);
  const { code, output } = await capacity('--messages-per-second=5', '--disk=0');
  t.equal(code, 64);
  t.match(output, '--disk must be a number above 0, not 0');
});
