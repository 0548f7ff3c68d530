/** `npm run pack`: the archives of SDK and command line, as they are published, for machines that have no registry with them. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build as buildCli } from './cli/build.ts';
import { build as buildSdk } from './sdk/build.ts';

const target = fileURLToPath(new URL('dist-packages', import.meta.url));
const isWindows = process.platform === 'win32';

const folder = await mkdtemp(join(tmpdir(), 'skein-pack-'));
try {
  await rm(target, { recursive: true, force: true });
  await mkdir(target);
  for (const [name, build] of Object.entries({ sdk: buildSdk, cli: buildCli })) {
    const from = join(folder, name);
    await build(from);
    const pack = ['pack', from, '--pack-destination', target, '--json', '--ignore-scripts'];
    const { stdout } = await promisify(execFile)('npm', pack, { cwd: folder, shell: isWindows });
    const [packed] = JSON.parse(stdout) as { readonly filename: string }[];
    process.stdout.write(`${join(target, packed?.filename ?? '')}\n`);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
