/** The committed types and descriptors of the gRPC contract are what the generators make of it. */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';

const root = fileURLToPath(new URL('../..', import.meta.url));
const committed = join(root, 'protocol/gen');

/** Every file beneath a folder, with its text. */
async function tree(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
  const texts = await Promise.all(files.map(file => readFile(file, 'latin1')));
  return Object.fromEntries(
    files.sort().map((file, index) => [file.slice(folder.length), texts[index] ?? '']),
  );
}

t.test('protocol/gen is what `npm run proto` makes', async t => {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const folder = t.testdir({});
  for (const [, name = ''] of scripts['proto']?.matchAll(/npm run (\S+)/g) ?? []) {
    const [, ...args] = scripts[name]?.split(' ') ?? [];
    const elsewhere = args.map(arg => arg.replace('protocol/gen', folder));
    t.notSame(elsewhere, args, 'not over the committed ones');
    await promisify(execFile)(process.execPath, elsewhere, { cwd: root });
  }
  const fresh = await tree(folder);
  t.ok(Object.keys(fresh).length > 20);
  t.same(await tree(committed), fresh);
});
