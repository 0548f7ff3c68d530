/** This software in another version: a copy of the code that says another number, and speaks another way to its peers if it is to. */
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wireVersion } from '../../../runtime/cluster/records.ts';
import type { Ending } from '../../support/node-process.ts';

const root = new URL('../../../', import.meta.url).pathname;
const copied = ['protocol', 'runtime', 'storage', 'actors', 'gateway', 'package.json'];

export interface Version {
  readonly release: string;
  /** Default: as here. */
  readonly wire?: number;
}

/** Resolves with the program to start. */
export async function otherVersion(t: Ending, { release, wire = wireVersion }: Version): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `skein-test-${process.pid}-version-`));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await Promise.all(copied.map(name => cp(join(root, name), join(folder, name), { recursive: true })));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await edit(join(folder, 'package.json'), /"version": "[^"]*"/, `"version": "${release}"`);
  await edit(join(folder, 'runtime/cluster/records.ts'), /wireVersion = \d+;/, `wireVersion = ${wire};`);
  return join(folder, 'gateway/main.ts');
}

async function edit(file: string, what: RegExp, to: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  if (!what.test(text)) throw new Error(`${file} has no ${what.source}`);
  await writeFile(file, text.replace(what, to));
}
