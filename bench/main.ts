/** `npm run bench [-- name ...]`: every benchmark, or those named, against one PostgreSQL; prints tables. */
import { cpus, totalmem } from 'node:os';
import { benchDeliveries } from './deliveries.ts';
import { benchFanout } from './fanout/fanout.ts';
import { benchInbound } from './inbound.ts';
import { benchMemory } from './memory.ts';
import { benchStartup } from './startup.ts';
import { startBenchDatabase, type BenchDatabase } from './support/bench-database.ts';

const benchmarks: Readonly<Record<string, (database: BenchDatabase) => Promise<void>>> = {
  inbound: benchInbound,
  deliveries: benchDeliveries,
  fanout: benchFanout,
  memory: benchMemory,
  startup: benchStartup,
};

const named = process.argv.slice(2);
const unknown = named.filter(name => benchmarks[name] === undefined);
if (unknown.length > 0 || named.includes('--help')) {
  console.error(`Usage: npm run bench [-- ${Object.keys(benchmarks).join(' ')}]`);
  process.exit(unknown.length > 0 ? 2 : 0);
}

console.log(`Node ${process.version}, ${cpus().length} processors, ${Math.round(totalmem() / 2 ** 30)} GiB`);
const database = await startBenchDatabase();
try {
  for (const [name, run] of Object.entries(benchmarks)) {
    if (named.length > 0 && !named.includes(name)) continue;
    console.log(`\n## ${name}`);
    await run(database);
  }
} finally {
  await database.stop();
}
