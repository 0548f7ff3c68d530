/** The rules between clients and server, tried on files that break each of them. `npm run layers` holds the repository to them. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Files by their paths, with what each imports. */
const files: Readonly<Record<string, readonly string[]>> = {
  'protocol/errors.ts': [],
  'storage/reads.ts': [],
  'gateway/main.ts': ['../clients/sdk/index.ts'],
  'bench/load.ts': ['../clients/sdk/index.ts'],
  'examples/one/main.ts': ['../../clients/sdk/index.ts'],
  'clients/sdk/index.ts': [],
  'clients/sdk/generate.ts': ['../../protocol/errors.ts', '../../storage/reads.ts', 'node:fs'],
  'clients/sdk/call.ts': ['../../protocol/errors.ts', 'node:http'],
  'clients/sdk/peek.ts': ['../cli/main.ts'],
  'clients/cli/main.ts': ['../sdk/index.ts', 'node:fs'],
  'clients/cli/short-cut.ts': ['../../storage/reads.ts'],
};

/** Which rule each import breaks. */
const broken = [
  ['bench/load.ts', 'clients/sdk/index.ts', 'no-server-imports-clients'],
  ['clients/cli/short-cut.ts', 'storage/reads.ts', 'clients-import-no-server'],
  ['clients/sdk/call.ts', 'node:http', 'the-sdk-imports-no-package'],
  ['clients/sdk/call.ts', 'protocol/errors.ts', 'clients-import-no-server'],
  ['clients/sdk/generate.ts', 'storage/reads.ts', 'the-generator-reads-the-contract-only'],
  ['clients/sdk/peek.ts', 'clients/cli/main.ts', 'the-sdk-imports-no-other-client'],
  ['gateway/main.ts', 'clients/sdk/index.ts', 'no-server-imports-clients'],
];

interface Violation {
  readonly from: string;
  readonly to: string;
  readonly rule: { readonly name: string };
}

t.test('clients know the contract and nothing of the server, and no layer knows them', async t => {
  const folder = await mkdtemp(join(tmpdir(), `skein-layers-${process.pid}-`));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await writeFile(
    join(folder, 'tsconfig.json'),
    '{ "compilerOptions": { "allowImportingTsExtensions": true } }',
  );
  for (const [path, imports] of Object.entries(files)) {
    await mkdir(join(folder, dirname(path)), { recursive: true });
    await writeFile(join(folder, path), imports.map(name => `import '${name}';\n`).join(''));
  }
  const launcher = join(root, '.config', 'launch.js');
  const args = [
    '--bin',
    'depcruise',
    '--config',
    join(root, '.config', 'layers.cjs'),
    '--output-type',
    'json',
  ];
  const folders = [...new Set(Object.keys(files).map(path => path.split('/')[0] ?? ''))];
  const printed = await new Promise<string>(resolve =>
    // It exits with the number of violations.
    execFile(process.execPath, [launcher, ...args, ...folders], { cwd: folder }, (_, stdout) =>
      resolve(stdout),
    ),
  );
  const { summary } = JSON.parse(printed) as { readonly summary: { readonly violations: Violation[] } };
  const found = summary.violations
    .filter(({ rule }) => /client|sdk|generator/.test(rule.name))
    .map(({ from, to, rule }) => [from, to.replace(/^(fs|http)$/, 'node:$1'), rule.name]);
  t.strictSame(found.sort(), broken);
});
