/** Planted violations: a folder with the configuration of the repository, in which the scripts of package.json run. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Test } from 'tap';
import ts from 'typescript';
import { repository } from './launched.ts';

const configuration = [
  '.oxfmtrc.json',
  '.oxlintrc.json',
  'clients/studio/tsconfig.json',
  'clients/tsconfig.json',
  'package.json',
  'tsconfig.json',
];

/** No colors, even where the tests run with them. */
const plain = { FORCE_COLOR: undefined, NO_COLOR: '1' };

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
}

export interface Output {
  readonly code: number;
  readonly text: string;
}

/** Reads a JSON file of the repository. Comments and trailing commas are allowed. */
export async function readConfiguration<T>(file: string): Promise<T> {
  const text = await readFile(join(repository, file), 'utf8');
  return ts.parseConfigFileTextToJson(file, text).config as T;
}

/** Writes the files, by their path, into a new folder beside a copy of the configuration. Returns the folder. */
export async function plant(t: Test, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `skein-test-${process.pid}-planted-`));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  for (const file of configuration) await cp(join(repository, file), join(folder, file));
  await symlink(join(repository, '.config'), join(folder, '.config'));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

/** Links each installed package into the folder. */
export async function linkPackages(folder: string): Promise<void> {
  for (const path of ['node_modules', 'clients/node_modules']) {
    await mkdir(join(folder, path), { recursive: true });
    for (const name of await readdir(join(repository, path))) {
      await symlink(join(repository, path, name), join(folder, path, name));
    }
  }
}

/**
 * Runs a script of package.json in the folder. It must be a call of the launcher.
 * Colors are removed from the text: where `CI` is set, oxfmt writes them in spite of `NO_COLOR`.
 */
export async function runScript(folder: string, script: string, ...more: string[]): Promise<Output> {
  const { scripts } = await readConfiguration<Manifest>('package.json');
  const [, ...args] = scripts[script]?.split(' ') ?? [];
  return new Promise(resolve => {
    const options = { cwd: folder, maxBuffer: 100_000_000, env: { ...process.env, ...plain } };
    execFile(process.execPath, [...args, ...more], options, (error, stdout, stderr) =>
      resolve({
        code: error === null ? 0 : Number(error.code),
        text: stripVTControlCharacters(stdout + stderr),
      }),
    );
  });
}
