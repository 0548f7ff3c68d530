/** The committed types of the gRPC contract are what the generator makes of it. */
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
  const texts = await Promise.all(files.map(file => readFile(file, 'utf8')));
  return Object.fromEntries(
    files.sort().map((file, index) => [file.slice(folder.length), texts[index] ?? '']),
  );
}

t.test('protocol/gen is what `npm run proto` makes', async t => {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    scripts: { proto: string };
  };
  const [, ...args] = scripts.proto.split(' ');
  const folder = t.testdir({});
  const elsewhere = args.map(arg => (arg === '--outDir=protocol/gen' ? `--outDir=${folder}` : arg));
  t.notSame(elsewhere, args, 'not over the committed ones');
  await promisify(execFile)(process.execPath, elsewhere, { cwd: root });
  const fresh = await tree(folder);
  t.ok(Object.keys(fresh).length > 20);
  t.same(await tree(committed), fresh);
});
