/** The package: complete, with the licences of what is in it, and at work on a machine that has Node alone. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import t from 'tap';
import { build } from '../../../clients/cli/build.ts';
import { root } from '../../docs/markdown.ts';

const run = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), `skein-package-${process.pid}-`));
t.teardown(() => rm(folder, { recursive: true, force: true }));
const made = join(folder, 'made');
await build(made);

const readJson = async (path: string): Promise<{ readonly version: string; readonly bin: object }> =>
  JSON.parse(await readFile(path, 'utf8'));

t.test('its version is that of the repository', async t => {
  const { version } = await readJson(join(root, 'clients/cli/package.json'));
  t.equal(version, (await readJson(join(root, 'package.json'))).version);
});

t.test('no package is left to install, and each that is inside is in NOTICES', async t => {
  const notices = await readFile(join(made, 'NOTICES'), 'utf8');
  for (const name of ['commander', '@bomb.sh/tab', '@clack/prompts', 'cli-table3', 'string-width']) {
    t.match(notices, new RegExp(`^${name} \\d`, 'm'));
  }
  const builtIn = /(?:from|import)\(?"(?!node:)([a-z@][\w@./-]*)"/g;
  for (const name of await readdir(join(made, 'dist'))) {
    const text = await readFile(join(made, 'dist', name), 'utf8');
    const imported = [...text.matchAll(builtIn)].map(([, each]) => each);
    t.ok(
      imported.every(each => ['os', 'tty', 'util', 'process', 'path', 'fs'].includes(each ?? '')),
      `${name}: ${imported.join()}`,
    );
  }
});

t.test('publint finds nothing', async t => {
  const { messages } = await publint({ pkgDir: made, level: 'warning' });
  t.strictSame(messages, []);
});

t.test('packed, installed into an empty folder, and run there with Node alone', async t => {
  const npm = {
    cwd: folder,
    env: { PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, HOME: folder },
  };
  await run('npm', ['pack', made, '--pack-destination', folder], npm);
  const archive = (await readdir(folder)).find(name => name.endsWith('.tgz')) ?? '';
  const empty = join(folder, 'empty');
  await mkdir(empty);
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, archive)], {
    ...npm,
    cwd: empty,
  });
  t.strictSame(
    (await readdir(join(empty, 'node_modules'))).filter(name => !name.startsWith('.')),
    ['skein'],
  );
  const bare = { cwd: empty, env: { PATH: dirname(process.execPath), HOME: empty } };
  const { version } = await readJson(join(root, 'package.json'));
  const skein = join(empty, 'node_modules', '.bin', 'skein');
  t.equal((await run(process.execPath, [skein, '--version'], bare)).stdout, `${version}\n`);
  t.match((await run(process.execPath, [skein, 'api', 'createMessage', '--help'], bare)).stdout, 'threadId');
});

t.test('in the repository it is npx skein', async t => {
  const { bin } = await readJson(join(root, 'package.json'));
  t.strictSame(bin, { skein: 'clients/cli/bin.js' });
  const { stdout } = await run(process.execPath, [join(root, 'clients/cli/bin.js'), '--version'], {
    cwd: folder,
  });
  t.equal(stdout, `${(await readJson(join(root, 'package.json'))).version}\n`);
});
