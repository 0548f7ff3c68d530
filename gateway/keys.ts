/**
 * `npm run keys -- status | reseal`: which secret keys are in use, and sealing everything again under the newest, so that older keys can be
 * taken out of SECRET_KEYS (docs/operate/configuration.md, "Rotating keys"). Runs beside the nodes, with their environment. Shows no secret.
 *
 * Exit codes: 0 done; 1 failed or interrupted, run it again; 2 some values cannot be opened; 64 and 78 as gateway/main.ts.
 */
import { join } from 'node:path';
import { silentLog } from '../runtime/observability/index.ts';
import { type Database, openDatabase } from '../storage/database/index.ts';
import {
  type BrokenSeal,
  hashedColumns,
  KeyRing,
  loadHashRoot,
  parseKeys,
  type Progress,
  readKeys,
  readSeals,
  reseal,
  type Seal,
  SealBroken,
} from '../storage/secrets/index.ts';
import type { Config } from './config/index.ts';
import { abortOnSignals, Refused, runCommand, say } from './operator-command.ts';
import { openEmbedded, readEnvironment } from './operator-environment.ts';

/** The work may take as long as the tables are large. */
const statementTimeoutMs = 600_000;
/** What names the database and the keys. */
const variables = ['DATABASE_URL', 'DATA_DIR', 'SECRET_KEYS', 'TOKEN_KEYS'] as const;
/** Rows of a lost key that are named. */
const maxNamed = 20;

const usage = `Usage: npm run keys -- status    which keys are in use, and which may be taken out
       npm run keys -- reseal    seal everything again under the newest key
`;

/** The keys of the environment, or those that a node has made under DATA_DIR. Makes none. */
async function readRings(config: Config): Promise<{ secret: KeyRing; token: readonly string[] }> {
  const kept = await readKeys(config.dataDir);
  const secretKeys = config.secretKeys ?? kept?.secretKeys;
  if (secretKeys === undefined) {
    throw new Refused(`SECRET_KEYS is not set, and there is no ${join(config.dataDir, 'keys.json')}`, 78);
  }
  const tokenKeys = config.tokenKeys ?? kept?.tokenKeys;
  const token = tokenKeys === undefined ? [] : [...parseKeys('token key', tokenKeys).keys()];
  return { secret: new KeyRing(secretKeys), token };
}

/** Opens DATABASE_URL or the embedded database: that of a running node, or its folder, whose server is then started and stopped. */
async function withDatabase<T>(config: Config, work: (database: Database) => Promise<T>): Promise<T> {
  const embedded = config.databaseUrl === undefined ? await openEmbedded(config.dataDir) : undefined;
  const url = config.databaseUrl ?? embedded?.url ?? '';
  const database = await openDatabase({ url, log: silentLog, poolSize: 4, statementTimeoutMs });
  try {
    const [found] = await database.query<{ exists: boolean }>(
      `select to_regclass('hash_root') is not null as exists`,
    );
    if (found?.exists !== true) {
      throw new Refused('the schema of the database is older than this program: start a node first', 1);
    }
    return await work(database);
  } finally {
    await database.close();
    await embedded?.stop();
  }
}

/** Sealed values by key and column, and the rows of those whose key the ring lacks. */
interface Survey {
  readonly counts: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly lost: readonly Seal[];
  readonly hasRoot: boolean;
}

async function survey(database: Database, ring: KeyRing): Promise<Survey> {
  const counts = new Map<string, Map<string, number>>([...ring.keys.keys()].map(kid => [kid, new Map()]));
  const lost: Seal[] = [];
  let hasRoot = false;
  for await (const seal of readSeals(database)) {
    const columns = counts.get(seal.kid) ?? new Map<string, number>();
    counts.set(seal.kid, columns.set(seal.column, (columns.get(seal.column) ?? 0) + 1));
    if (!ring.keys.has(seal.kid)) lost.push(seal);
    if (seal.column !== 'hash_root.sealed') continue;
    hasRoot = true;
    if (ring.keys.has(seal.kid)) await requireSameKey(database, ring, seal.kid);
  }
  return { counts, lost, hasRoot };
}

/** A key is known by its name only: what it opens tells whether it is the one of that name. */
async function requireSameKey(database: Database, ring: KeyRing, kid: string): Promise<void> {
  try {
    await loadHashRoot(database, ring);
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error;
    throw new Refused(`the secret key ${kid} is not the key of that name that sealed this database`, 2);
  }
}

function countAll(columns: ReadonlyMap<string, number>): number {
  return [...columns.values()].reduce((sum, count) => sum + count, 0);
}

function describeCounts(ring: KeyRing, { counts }: Survey): string[] {
  return [...counts].flatMap(([kid, columns]) => {
    const use = kid === ring.newest.kid ? 'seals and opens' : 'opens';
    const what = ring.keys.has(kid) ? use : 'NOT IN SECRET_KEYS';
    const lines = [...columns].map(([column, count]) => `  ${column}: ${count}`);
    return [`secret key ${kid} (${what}): ${countAll(columns)} sealed values`, ...lines];
  });
}

/** What may be done with each key but the newest. */
function describeRemovals(ring: KeyRing, { counts, hasRoot }: Survey): string[] {
  const { kid: newest } = ring.newest;
  const older = [...ring.keys.keys()].filter(kid => kid !== newest);
  return older.map((kid, at) => {
    const left = countAll(counts.get(kid) ?? new Map());
    if (left > 0) return `${kid} may not be taken out yet: ${left} values are sealed under it`;
    if (!hasRoot && at === older.length - 1) {
      return `${kid} may not be taken out yet: hashes depend on it until a node of this version has started`;
    }
    return `${kid} may be taken out, 5 minutes after every node has been started with ${newest} in front`;
  });
}

function describeUnopened(seals: readonly (Seal | BrokenSeal)[]): string[] {
  if (seals.length === 0) return [];
  const named = seals.slice(0, maxNamed).map(seal => {
    const why = 'why' in seal ? `: ${seal.why}` : '';
    return `  ${seal.column} of ${seal.id}, sealed under ${seal.kid}${why}`;
  });
  const rest = seals.length > maxNamed ? [`  and ${seals.length - maxNamed} more`] : [];
  return [
    `${seals.length} values cannot be opened. Restore their key, or enter these secrets anew:`,
    ...named,
    ...rest,
  ];
}

function describeTokenKeys([newest, ...older]: readonly string[]): string[] {
  if (newest === undefined) return ['TOKEN_KEYS is not set here'];
  const removable = older.map(
    kid =>
      `token key ${kid} (verifies): may be taken out, 15 minutes after every node has been started with ${newest} in front`,
  );
  return [`token key ${newest} (signs and verifies): stays`, ...removable];
}

function describeHashes(): string[] {
  const lines = Object.entries(hashedColumns).map(([column, lives]) => `  ${column}: ${lives}`);
  return [
    'hashed under hash_root, which is re-sealed with the rest, so that no key has to stay for them:',
    ...lines,
  ];
}

async function showStatus(config: Config): Promise<number> {
  const { secret, token } = await readRings(config);
  const found = await withDatabase(config, database => survey(database, secret));
  const lines = [
    ...describeCounts(secret, found),
    ...describeTokenKeys(token),
    ...describeHashes(),
    ...describeRemovals(secret, found),
    ...describeUnopened(found.lost),
  ];
  lines.forEach(say);
  return found.lost.length > 0 ? 2 : 0;
}

function showProgress({ column, done, total, resealed }: Progress): void {
  say(`${column}: ${done} of ${total} looked at, ${resealed} re-sealed`);
}

async function resealAll(config: Config): Promise<number> {
  const { secret } = await readRings(config);
  const signal = abortOnSignals();
  say(`sealing everything under ${secret.newest.kid}`);
  return await withDatabase(config, async database => {
    const broken = await reseal(database, secret, showProgress, signal);
    if (signal.aborted) {
      say('interrupted: run it again to go on');
      return 1;
    }
    [...describeRemovals(secret, await survey(database, secret)), ...describeUnopened(broken)].forEach(say);
    return broken.length > 0 ? 2 : 0;
  });
}

async function run(given: readonly string[]): Promise<number> {
  const [command] = given;
  if (given.length === 1 && command === 'status') return await showStatus(readEnvironment(...variables));
  if (given.length === 1 && command === 'reseal') return await resealAll(readEnvironment(...variables));
  throw new Refused(usage, 64);
}

await runCommand('keys', run);
