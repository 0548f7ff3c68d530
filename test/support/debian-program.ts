/** Programs that are not on npm: of a variable, of the PATH, or of Debian's package, unpacked into this user's cache. */
import { execFile } from 'node:child_process';
import { access, constants, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface DebianProgram {
  /** Of the program, in `usr/bin` or `usr/sbin` of its package. */
  readonly name: string;
  /** Names a program to be used instead. */
  readonly variable: string;
  /** Default: the program's name. Several are unpacked together. */
  readonly packages?: readonly string[];
  /** What to do where it cannot be had. */
  readonly advice: string;
}

const found = new Map<string, Promise<string>>();

/** The path of the program. Rejects with the advice where there is none. */
export function findDebianProgram(program: DebianProgram): Promise<string> {
  const known = found.get(program.name) ?? find(program);
  found.set(program.name, known);
  return known;
}

async function find({ name, variable, packages = [name], advice }: DebianProgram): Promise<string> {
  const named = process.env[variable];
  if (named !== undefined && named !== '') {
    if (await isProgram(named)) return named;
    throw new Error(`${variable} is ${named}, which is no program`);
  }
  const cached = join(homedir(), '.cache', 'skein', name);
  // Debian keeps servers where a user's PATH does not look.
  const folders = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    '/usr/sbin',
    '/usr/local/sbin',
    join(cached, 'usr', 'sbin'),
    join(cached, 'usr', 'bin'),
  ];
  const first = await findIn(folders, name);
  if (first !== undefined) return first;
  try {
    await unpack(packages, cached, name);
  } catch (error) {
    throw new Error(advice, { cause: error });
  }
  const unpacked = await findIn(folders, name);
  if (unpacked === undefined) throw new Error(advice);
  return unpacked;
}

async function findIn(folders: readonly string[], name: string): Promise<string | undefined> {
  for (const folder of folders) {
    if (folder !== '' && (await isProgram(join(folder, name)))) return join(folder, name);
  }
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Needs no root and starts no service, other than an installation. Several processes may do it at once. */
async function unpack(packages: readonly string[], into: string, name: string): Promise<void> {
  await mkdir(join(into, '..'), { recursive: true });
  const draft = await mkdtemp(`${into}.new-`);
  try {
    await run('apt-get', ['download', ...packages], { cwd: draft }).catch(async (error: unknown) => {
      if (process.getuid?.() !== 0) throw error;
      await run('apt-get', ['update']);
      await run('apt-get', ['download', ...packages], { cwd: draft });
    });
    const archives = (await readdir(draft)).filter(file => file.endsWith('.deb'));
    if (archives.length < packages.length) throw new Error('apt-get downloaded too little');
    for (const archive of archives) await run('dpkg', ['-x', join(draft, archive), draft]);
    await rename(draft, into).catch(async (error: unknown) => {
      if ((await findIn([join(into, 'usr/sbin'), join(into, 'usr/bin')], name)) === undefined) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
