/**
 * `npm run bench [-- name ...]`: runs every benchmark, or those named, against one PostgreSQL, and prints tables. The first word of a name
 * stands for all that begin with it: `cluster`. The soak takes hours, so it runs only when it is named: `soak --hours 2`, or
 * `--minutes 10`. With `--quick` a benchmark measures nothing and only shows that it works.
 */
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { startBenchDatabase, type BenchDatabase } from './support/bench-database.ts';
import { Endings } from './support/endings.ts';

/** The module of each benchmark: its `run` prints the tables. */
const benchmarks: Readonly<Record<string, string>> = {
  inbound: './inbound.ts',
  deliveries: './deliveries/deliveries.ts',
  'stitches-down': './stitches/down.ts',
  'stitches-busy': './stitches/busy.ts',
  'stitches-black-holes': './stitches/black-holes.ts',
  'end-to-end': './end-to-end.ts',
  fanout: './fanout/fanout.ts',
  console: './console/console.ts',
  path: './path.ts',
  profile: './profile/profile.ts',
  reads: './reads/reads.ts',
  abuse: './abuse/abuse.ts',
  'commits-snapshot': './commits/snapshot.ts',
  'commits-neighbours': './commits/neighbours.ts',
  'agents-load': './agents/load.ts',
  'chatapp-webhooks': './chatapp/webhooks.ts',
  'cluster-kill': './cluster/kill.ts',
  'cluster-drain': './cluster/drain.ts',
  'cluster-ask': './cluster/ask.ts',
  'cluster-throughput': './cluster/throughput.ts',
  soak: './soak/soak.ts',
};

interface Benchmark {
  run(database: BenchDatabase, minutes: number): Promise<void>;
}

const usage = `Usage: npm run bench [-- [--quick] ${Object.keys(benchmarks).join(' ')}]\n       npm run bench -- soak [--hours 2] [--minutes 10]`;

function readArguments(): { readonly named: readonly string[]; readonly minutes: number } {
  const number = { type: 'string', default: '0' } as const;
  const flag = { type: 'boolean', default: false } as const;
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { hours: number, minutes: number, quick: flag, help: flag },
    });
    const minutes = Number(values.hours) * 60 + Number(values.minutes);
    const isKnown = (name: string): boolean => Object.keys(benchmarks).some(each => isNamed(name, each));
    if (values.help || !(minutes >= 0) || !positionals.every(isKnown)) throw new RangeError('help');
    return { named: positionals, minutes: minutes === 0 ? 120 : minutes };
  } catch {
    console.error(usage);
    process.exit(process.argv.includes('--help') ? 0 : 2);
  }
}

function isNamed(given: string, name: string): boolean {
  return name === given || name.startsWith(`${given}-`);
}

const { named, minutes } = readArguments();
console.log(`Node ${process.version}, ${cpus().length} processors, ${Math.round(totalmem() / 2 ** 30)} GiB`);
const database = await startBenchDatabase();
try {
  for (const [name, module] of Object.entries(benchmarks)) {
    if (named.length === 0 ? name === 'soak' : !named.some(given => isNamed(given, name))) continue;
    console.log(`\n## ${name}`);
    const { run } = (await import(module)) as Benchmark;
    const endings = new Endings();
    try {
      await run({ ...database, endings }, minutes);
    } finally {
      await endings.end();
    }
  }
} finally {
  await database.stop();
}
