/** `npm run generate`: when it writes files, what it repairs, and that several processes may run it at once. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { isGenerated } from '../../.config/generate.js';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const root = await mkdtemp(join(tmpdir(), `skein-test-${process.pid}-generated-`));
t.teardown(() => rm(root, { recursive: true, force: true }));
const folders = ['protocol/gen', 'clients/sdk/generated', 'clients/cli/generated'];

// A clone: sources without what was generated from them.
for (const path of ['.config', 'protocol', 'clients/sdk', 'clients/cli', 'package.json']) {
  await cp(join(repository, path), join(root, path), {
    recursive: true,
    filter: from => !folders.some(folder => from === join(repository, folder)),
  });
}
await symlink(join(repository, 'node_modules'), join(root, 'node_modules'));

const generate = (): Promise<unknown> =>
  promisify(execFile)(process.execPath, ['.config/generate.js'], { cwd: root });

/** Returns the generated files below a folder, by their paths: their texts, and when they were written. */
async function readGenerated(
  base: string,
): Promise<ReadonlyMap<string, readonly [text: string, mtimeMs: number]>> {
  const files = new Map<string, readonly [string, number]>();
  for (const folder of folders) {
    for (const name of (await readdir(join(base, folder), { recursive: true })).sort()) {
      const file = join(base, folder, name);
      const { mtimeMs } = await stat(file);
      if (name !== 'stamp' && (await stat(file)).isFile())
        files.set(`${folder}/${name}`, [await readFile(file, 'utf8'), mtimeMs]);
    }
  }
  return files;
}

async function readTexts(base: string): Promise<Record<string, string>> {
  return Object.fromEntries([...(await readGenerated(base))].map(([path, [text]]) => [path, text]));
}

t.test('a clone gets the files that this repository has, also from two processes at once', async t => {
  t.ok(isGenerated(), 'those of this repository are current');
  await Promise.all([generate(), generate()]);
  const texts = await readTexts(root);
  t.ok(Object.keys(texts).length > 30);
  t.strictSame(texts, await readTexts(repository));
});

t.test('without a change it writes nothing', async t => {
  const before = await readGenerated(root);
  await generate();
  t.strictSame(await readGenerated(root), before);
});

t.test('it repairs files that are missing, changed or left over', async t => {
  const before = await readTexts(root);
  await rm(join(root, 'clients/sdk/generated'), { recursive: true });
  await writeFile(join(root, 'clients/cli/generated/operations.ts'), 'export const operations = ');
  await writeFile(join(root, 'protocol/gen/skein/internal/v1/Gone.ts'), 'export interface Gone {}');
  await generate();
  t.strictSame(await readTexts(root), before);
});

t.test('a change of the contract reaches all three folders', async t => {
  const proto = join(root, 'protocol/internal.proto');
  await writeFile(proto, `${await readFile(proto, 'utf8')}\nmessage Planted { string planted_field = 1; }\n`);
  const table = join(root, 'protocol/operations/threads.ts');
  const text = await readFile(table, 'utf8');
  const [, summary = ''] = /summary: '([^']+)'/.exec(text) ?? [];
  await writeFile(table, text.replace(summary, 'A planted summary'));
  await generate();
  const texts = await readTexts(root);
  t.match(texts['protocol/gen/skein/internal/v1/Planted.ts'], "'plantedField'?: (string);");
  t.match(texts['clients/sdk/generated/resources.ts'], 'A planted summary');
  t.match(texts['clients/cli/generated/operations.ts'], 'A planted summary');
});

t.test('where the contract cannot be read, it fails and leaves the files as they are', async t => {
  const before = await readTexts(root);
  await writeFile(join(root, 'protocol/internal.proto'), 'message {');
  await t.rejects(generate(), /illegal type name/);
  t.strictSame(await readTexts(root), before);
});
