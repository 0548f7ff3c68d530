/** Earlier versions, as they were: their code out of this repository's history, started on today's packages. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Ending } from '../../support/node-process.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));

export interface EarlierVersion {
  readonly commit: string;
  /** What its nodes say of themselves here: two versions may have the same number in their package.json. */
  readonly release: string;
}

const toVersion = (commit: string, number: string): EarlierVersion => ({
  commit,
  release: `${number}-${commit.slice(0, 8)}`,
});

/** The last release, of 22 November 2026: its nodes and those of this version form no cluster. */
export const lastRelease = toVersion('014212c0623a271ac356342cae8f6b99b64e7f56', '0.1.0');
/**
 * Of 23 November 2026: the oldest state of 0.2 whose nodes work beside today's. The commit of the release belongs here once there is one
 * that speaks to nodes as this version does.
 */
export const fittingVersion = toVersion('3324d0aca98f4a94c67ecc74f7148f3a217a5cf6', '0.2.0');

/** All that a node is started from. */
const unpacked = ['protocol', 'runtime', 'storage', 'actors', 'gateway', 'package.json'];

/** Resolves with the program to start. Rejects where the history of this clone does not reach so far back. */
export async function unpackVersion(t: Ending, { commit, release }: EarlierVersion): Promise<string> {
  await requireCommit(commit);
  const folder = await mkdtemp(join(tmpdir(), `skein-test-${process.pid}-earlier-`));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const archive = join(folder, 'archive.tar');
  await run('git', ['archive', '--format=tar', `--output=${archive}`, commit, ...unpacked], { cwd: root });
  await run('tar', ['-xf', archive, '-C', folder]);
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const manifest = join(folder, 'package.json');
  const text = await readFile(manifest, 'utf8');
  await writeFile(manifest, text.replace(/"version": "[^"]*"/, `"version": "${release}"`));
  return join(folder, 'gateway/main.ts');
}

async function requireCommit(commit: string): Promise<void> {
  await run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root }).catch((cause: unknown) => {
    throw new Error(
      `the commit ${commit}, an earlier version, is not in this clone, and the upgrade from it cannot be tested: fetch the history ` +
        '(git fetch --unshallow)',
      { cause },
    );
  });
}

/** Packages that it needs and that are not there in the same version: with these it would not be what it was. */
export async function listChangedPackages({ commit }: EarlierVersion): Promise<readonly string[]> {
  type Manifest = { readonly dependencies: Readonly<Record<string, string>> };
  await requireCommit(commit);
  const { stdout } = await run('git', ['show', `${commit}:package.json`], { cwd: root });
  const { dependencies: then } = JSON.parse(stdout) as Manifest;
  const { dependencies: now } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Manifest;
  return Object.keys(then).filter(name => then[name] !== now[name]);
}
