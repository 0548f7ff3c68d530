/**
 * `npm run capacity -- --messages-per-second 500 --webhooks 3`: how much a load needs, by the formulas of docs/operate/capacity.md. Opens and
 * changes nothing.
 *
 * Exit codes: 0; 64 wrong arguments.
 */
import { parseArgs } from 'node:util';
import { estimate, figures, type Load, type Machines } from './sizing/index.ts';
import { Refused, runCommand, say } from './operator-command.ts';

/** Every option is a number, 0 or more; those of `positive` are more than 0. */
const options = {
  'messages-per-second': ['in and out, in the busiest hour', ''],
  'messages-per-day': [`in and out; a tenth of them in the busiest hour`, ''],
  webhooks: ['of each message: stitches that want it', '1'],
  'runs-per-second': ['of agents', '0'],
  threads: ['in memory: with something to do within ten minutes', '20000'],
  sockets: ['of Consoles', '200'],
  days: ['for which messages have been coming', '365'],
  processors: ["PostgreSQL's", '4'],
  connections: ["PostgreSQL's max_connections", '100'],
  disk: ["gigabytes for PostgreSQL's data; left out: not looked at", ''],
} as const satisfies Record<string, readonly [meaning: string, fallback: string]>;
type Option = keyof typeof options;
const positive: readonly Option[] = ['processors', 'connections', 'disk'];

const usage = `Usage: npm run capacity -- --messages-per-second 500 [--webhooks 3] ...

What a load needs, by what was measured (docs/operate/capacity.md), with twice the processors of the busiest hour. One of the first two is needed.

${Object.entries(options)
  .map(
    ([name, [meaning, fallback]]) =>
      `  --${name.padEnd(20)}  ${meaning}${fallback === '' ? '' : ` (${Number(fallback).toLocaleString('en-US')})`}`,
  )
  .join('\n')}
`;

function parse(given: readonly string[]): ReadonlyMap<Option, number> | undefined {
  const refuse = (message: string): never => {
    throw new Refused(`${message}\n\n${usage}`, 64);
  };
  const texts = ((): Readonly<Record<string, string | boolean | undefined>> => {
    try {
      const strings = Object.keys(options).map(name => [name, { type: 'string' }] as const);
      return parseArgs({
        args: [...given],
        options: { ...Object.fromEntries(strings), help: { type: 'boolean', default: false } },
      }).values;
    } catch (error) {
      return refuse((error as Error).message);
    }
  })();
  if (texts['help'] === true) return undefined;
  const numbers = new Map<Option, number>();
  for (const name of Object.keys(options) as Option[]) {
    const text = texts[name] ?? options[name][1];
    if (typeof text !== 'string' || (text === '' && texts[name] === undefined)) continue;
    const number = Number(text.replaceAll(/[_,]/g, ''));
    if (
      text.trim() === '' ||
      !Number.isFinite(number) ||
      number < 0 ||
      (number === 0 && positive.includes(name))
    )
      refuse(
        `--${name} must be a number${positive.includes(name) ? ' above 0' : ', 0 or more'}, not ${text || 'empty'}`,
      );
    numbers.set(name, number);
  }
  if (!numbers.has('messages-per-second') && !numbers.has('messages-per-day'))
    refuse('how many messages come? --messages-per-second or --messages-per-day');
  return numbers;
}

const count = (value: number): string => Math.round(value).toLocaleString('en-US');
/** Two digits that count. */
const round = (value: number): string =>
  Number(value.toPrecision(2)).toLocaleString('en-US', { maximumFractionDigits: 6 });
const gigabytes = (bytes: number): string => `${round(bytes / 1e9)} GB`;
const processors = (value: number): string => (value < 10 ? value.toFixed(2) : round(value));
const percent = (share: number): string => `${round(share * 100)} %`;

function describe(load: Load, machines: Machines): string {
  const found = estimate(load, machines);
  const { nodes, mainThreads, shares } = found;
  const rows = [
    ['nodes', `${nodes}, whose main threads are busy for ${processors(mainThreads)} processors`],
    ['processors of all nodes', processors(found.nodeProcessors)],
    ['processors of PostgreSQL', processors(found.databaseProcessors)],
    ['processors of NATS', processors(found.natsProcessors)],
    ['memory of a node', gigabytes(found.nodeMemory)],
    ['connections of PostgreSQL', count(found.connections)],
    ['disk for good, a day more', gigabytes(found.foreverADay)],
    [`disk for what is kept ${figures.keptDays} days`, gigabytes(found.keptMonth)],
    ['disk for what is kept a day', gigabytes(found.keptDay)],
    [`disk after ${count(load.days)} days`, gigabytes(found.disk)],
    ['write-ahead log, a day, at most', gigabytes(found.logADay)],
  ];
  const [first] = shares;
  return [
    `${count(load.messagesPerSecond)} messages a second in the busiest hour, ${count(load.messagesPerDay)} a day, ${round(load.webhooks)} webhooks each,`,
    `${count(load.threads)} threads, ${count(load.sockets)} Consoles, ${round(load.runsPerSecond)} agent runs a second; processors are twice what it takes:`,
    '',
    ...rows.map(([name = '', value = '']) => `  ${name.padEnd(34)}${value}`),
    '',
    ...shares.map(
      ({ of, used }) => `  ${percent(used).padStart(8)} of ${of}${used > 1 ? ': too little' : ''}`,
    ),
    '',
    `What ends first: ${first?.of ?? ''}. Processor times are those of busy nodes; measure yours: npm run bench -- inbound.`,
  ].join('\n');
}

function run(given: readonly string[]): Promise<number> {
  const numbers = parse(given);
  if (numbers === undefined) {
    say(usage);
    return Promise.resolve(0);
  }
  const get = (name: Option): number => numbers.get(name) ?? 0;
  const perSecond = numbers.get('messages-per-second') ?? get('messages-per-day') / figures.busySeconds;
  const load: Load = {
    messagesPerSecond: perSecond,
    messagesPerDay: numbers.get('messages-per-day') ?? perSecond * figures.busySeconds,
    webhooks: get('webhooks'),
    runsPerSecond: get('runs-per-second'),
    threads: get('threads'),
    sockets: get('sockets'),
    days: get('days'),
  };
  say(
    describe(load, {
      processors: get('processors'),
      connections: get('connections'),
      disk: numbers.get('disk'),
    }),
  );
  return Promise.resolve(0);
}

await runCommand('capacity', run);
