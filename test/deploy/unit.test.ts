/** The unit of `deploy/systemd` is one that systemd takes, is hardened, and starts what is in the repository. */
import { execFile } from 'node:child_process';
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { readConfig } from '../../gateway/config/config.ts';
import { variables } from '../../gateway/config/variables.ts';
import { findDebianProgram } from '../support/debian-program.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), `skein-test-${process.pid}-`));
t.teardown(() => rm(folder, { recursive: true, force: true }));

const analyze = await findDebianProgram({
  name: 'systemd-analyze',
  variable: 'SYSTEMD_ANALYZE',
  packages: ['systemd', 'libsystemd-shared'],
  advice:
    'systemd-analyze was not found: install it (Debian and Ubuntu: apt-get install systemd), or set SYSTEMD_ANALYZE',
});
/** Of packages that are unpacked and not installed. */
const library = join(homedir(), '.cache/skein/systemd-analyze/usr/lib');
const env = {
  PATH: process.env['PATH'] ?? '',
  LD_LIBRARY_PATH: `${library}/systemd:${library}/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/systemd`,
};

t.test('systemd finds no fault in it', async t => {
  const unit = await readFile(join(root, 'deploy/systemd/skein.service'), 'utf8');
  const here = join(folder, 'skein.service');
  await writeFile(here, unit.replaceAll('/opt/skein', root));
  const { stdout, stderr } = await run(analyze, ['verify', '--man=no', here], { env });
  t.equal(`${stdout}${stderr}`, '');
  const security = await run(analyze, ['security', '--offline=yes', '--threshold=20', here], { env });
  t.match(security.stdout, /exposure level for skein.service: [01]\.\d OK/);
  for (const [, file = ''] of unit.matchAll(/^ExecStart=.* (\S+) \S+$/gm)) await access(join(root, file));
});

t.test('its variables are those of a node', async t => {
  const text = await readFile(join(root, 'deploy/systemd/skein.env.example'), 'utf8');
  const lines = text.split('\n').map(line => /^#?([A-Z_]+)=(.*)$/.exec(line));
  const given = lines
    .filter(line => line !== null)
    .map(([, name = '', value = '']) => [name, value] as const);
  t.same(
    given.filter(([name]) => !(name in variables) && !name.startsWith('AWS_')),
    [],
  );
  t.same(
    given.filter(([, value]) => value.includes(' #')),
    [],
    'systemd knows no comment behind a value',
  );
  const used = text.split('\n').map(line => /^([A-Z_]+)="?([^"]*)"?$/.exec(line));
  const set = used.filter(line => line !== null).map(([, name = '', value = '']) => [name, value] as const);
  t.same(readConfig(Object.fromEntries(set)).exposures, [], 'and need no INSECURE');
});
