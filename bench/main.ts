/**
 * `npm run bench [-- name ...]`: every benchmark, or those named, against one PostgreSQL; prints tables. The first word of a name
 * stands for all that begin with it: `cluster`. The soak runs only when it is named, since it takes hours: `soak --hours 2`, or
 * `--minutes 10`.
 */
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { benchAbuse } from './abuse.ts';
import { benchAgentKill } from './agents/kill.ts';
import { benchAgentLoad } from './agents/load.ts';
import { benchAgentRaces } from './agents/races.ts';
import { benchAlerts } from './alerts/alerts.ts';
import { benchChatappKill } from './chatapp/kill.ts';
import { benchWebhooks } from './chatapp/webhooks.ts';
import { benchAsk } from './cluster/ask.ts';
import { benchDrain } from './cluster/drain.ts';
import { benchFaults } from './cluster/faults.ts';
import { benchKill } from './cluster/kill.ts';
import { benchPause } from './cluster/pause.ts';
import { benchThroughput } from './cluster/throughput.ts';
import { benchConsole } from './console/console.ts';
import { benchDeliveries } from './deliveries.ts';
import { benchEndToEnd } from './end-to-end.ts';
import { benchFanout } from './fanout/fanout.ts';
import { benchInbound } from './inbound.ts';
import { benchListen } from './listen.ts';
import { benchMemory } from './memory.ts';
import { benchMigrate } from './migrate.ts';
import { benchPath } from './path.ts';
import { benchProfile } from './profile/profile.ts';
import { benchReads } from './reads.ts';
import { benchRecovery } from './recovery.ts';
import { benchRestore } from './restore.ts';
import { benchSoak } from './soak/soak.ts';
import { benchSockets } from './sockets.ts';
import { benchStartup } from './startup.ts';
import { benchStudio } from './studio/studio.ts';
import { benchStitchesBlackHoles } from './stitches/black-holes.ts';
import { benchStitchesBusy } from './stitches/busy.ts';
import { benchStitchesDown } from './stitches/down.ts';
import { benchTracing } from './tracing.ts';
import { startBenchDatabase, type BenchDatabase } from './support/bench-database.ts';

const benchmarks: Readonly<Record<string, (database: BenchDatabase) => Promise<void>>> = {
  inbound: benchInbound,
  tracing: benchTracing,
  deliveries: benchDeliveries,
  'stitches-down': benchStitchesDown,
  'stitches-busy': benchStitchesBusy,
  'stitches-black-holes': benchStitchesBlackHoles,
  'end-to-end': benchEndToEnd,
  recovery: benchRecovery,
  fanout: benchFanout,
  memory: benchMemory,
  sockets: benchSockets,
  listen: benchListen,
  console: benchConsole,
  studio: benchStudio,
  path: benchPath,
  profile: benchProfile,
  reads: benchReads,
  startup: benchStartup,
  migrate: benchMigrate,
  restore: benchRestore,
  abuse: benchAbuse,
  'agents-kill': benchAgentKill,
  'agents-races': benchAgentRaces,
  'agents-load': benchAgentLoad,
  'chatapp-webhooks': benchWebhooks,
  'chatapp-kill': benchChatappKill,
  'cluster-kill': benchKill,
  'cluster-drain': benchDrain,
  'cluster-pause': benchPause,
  'cluster-faults': benchFaults,
  'cluster-ask': benchAsk,
  'cluster-throughput': benchThroughput,
  alerts: benchAlerts,
  soak: database => benchSoak(database, minutes),
};

const usage = `Usage: npm run bench [-- ${Object.keys(benchmarks).join(' ')}]\n       npm run bench -- soak [--hours 2] [--minutes 10]`;

/** Rejects what it does not know by how to use it. */
function readArguments(): { readonly named: readonly string[]; readonly minutes: number } {
  const number = { type: 'string', default: '0' } as const;
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { hours: number, minutes: number, help: { type: 'boolean', default: false } },
    });
    const given = Number(values.hours) * 60 + Number(values.minutes);
    if (values.help || !(given >= 0)) throw new RangeError('help');
    return { named: positionals, minutes: given === 0 ? 120 : given };
  } catch {
    console.error(usage);
    process.exit(process.argv.includes('--help') ? 0 : 2);
  }
}

const { named, minutes } = readArguments();
const stands = (given: string, name: string): boolean => name === given || name.startsWith(`${given}-`);
const unknown = named.filter(given => !Object.keys(benchmarks).some(name => stands(given, name)));
if (unknown.length > 0) {
  console.error(usage);
  process.exit(2);
}

console.log(`Node ${process.version}, ${cpus().length} processors, ${Math.round(totalmem() / 2 ** 30)} GiB`);
const database = await startBenchDatabase();
try {
  for (const [name, run] of Object.entries(benchmarks)) {
    if (named.length === 0 ? name === 'soak' : !named.some(given => stands(given, name))) continue;
    console.log(`\n## ${name}`);
    await run(database);
  }
} finally {
  await database.stop();
}
