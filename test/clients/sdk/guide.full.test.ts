/**
 * The snippets of docs/guide/sdk.md are one program: it compiles against the sources, and prints what the page says. Those of the package's
 * README compile; its first one is run by package.full.test.ts.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { build as bundle } from 'esbuild';
import t from 'tap';
import { readDocument, root } from '../../docs/markdown.ts';
import { shareSdkAccount } from './sdk-account.ts';

const folder = await mkdtemp(join(tmpdir(), `skein-guide-${process.pid}-`));
t.teardown(() => rm(folder, { recursive: true, force: true }));

async function run(program: string, args: readonly string[], variables = {}): Promise<string> {
  const path = [dirname(process.execPath), join(root, 'node_modules', '.bin'), process.env['PATH']];
  const env = { PATH: path.join(delimiter), ...variables };
  try {
    return (await promisify(execFile)(program, args, { cwd: folder, env })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    throw new Error(`${program} failed:\n${stdout}\n${stderr}`, { cause: error });
  }
}

const readSnippets = (path: string): string[] =>
  [...readDocument(path).text.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, snippet = '']) => snippet);
await writeFile(join(folder, 'guide.ts'), readSnippets('docs/guide/sdk.md').join('\n'));

/** What the README's snippets take from the program around them. */
const surroundings = `
import type { Cursor, Message, Skein, SkeinEvent } from '@skein/sdk';
declare global {
  const skein: Skein;
  const threadId: string, channelId: string;
  const inbound: { id: string };
  const signal: AbortSignal;
  const cursors: { load(): Promise<Cursor | undefined>; save(cursor: Cursor): Promise<void> };
  function answer(message: Message): Promise<void>;
  function handle(event: SkeinEvent): Promise<void>;
  function readEverythingAgain(reason: string): Promise<void>;
  function wait(seconds: number | undefined): Promise<void>;
}
`;
await writeFile(join(folder, 'surroundings.ts'), surroundings);
const readme = readSnippets('clients/sdk/README.md').map(
  (text, index) => [`readme-${index}.ts`, text] as const,
);
for (const [name, text] of readme) await writeFile(join(folder, name), `${text}\nexport {};\n`);

t.test('the snippets compile', async t => {
  const sdk = join(root, 'clients', 'sdk');
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const compilerOptions = {
    ...JSON.parse(await readFile(join(sdk, 'tsconfig.json'), 'utf8')).compilerOptions,
    module: 'preserve',
    types: ['node'],
    noEmit: true,
    declaration: false,
    rootDir: '/',
    allowImportingTsExtensions: true,
    noUnusedLocals: false,
    noPropertyAccessFromIndexSignature: false,
    paths: { '@skein/sdk': [join(sdk, 'index.ts')], '@skein/sdk/webhooks': [join(sdk, 'webhooks.ts')] },
  };
  const files = ['guide.ts', 'surroundings.ts', ...readme.map(([name]) => name)];
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  t.equal(await run('tsc', ['-p', folder]), '');
});

t.test('and they run, twice', async t => {
  const { baseUrl, apiKey } = await shareSdkAccount(t);
  const outfile = join(folder, 'guide.mjs');
  await bundle({
    entryPoints: [join(folder, 'guide.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    alias: {
      '@skein/sdk': join(root, 'clients', 'sdk', 'index.ts'),
      '@skein/sdk/webhooks': join(root, 'clients', 'sdk', 'webhooks.ts'),
    },
  });
  const variables = { SKEIN_BASE_URL: baseUrl, SKEIN_API_KEY: apiKey };
  const printed = await run(process.execPath, [outfile], variables);
  for (const line of [
    'outbound queued',
    "true [ '*' ]",
    'Hello? true false',
    'true true',
    '/body/tags/0',
    '23 of 23 bytes',
    'svc/runtime/precondition_failed',
    'webhook: Yes. How can we help?\n204\n400',
    'stream: thread.message.created',
    'closed',
  ]) {
    t.match(printed, line);
  }
  t.match(
    await run(process.execPath, [outfile], variables),
    'stream: thread.message.created',
    'from its cursor',
  );
});
