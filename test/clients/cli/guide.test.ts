/** The snippets of docs/guide/cli.md, run by bash as they are written; and the program of docs/guide/first-five-minutes.md. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build as bundle } from 'esbuild';
import t from 'tap';
import { readDocument, root } from '../../docs/markdown.ts';
import { shareSkein } from '../../support/skein.ts';
import { createSdkAccount } from '../sdk/sdk-account.ts';
import { Cli } from './cli.ts';

const node = await shareSkein(t);
const folder = await mkdtemp(join(tmpdir(), `skein-cli-guide-${process.pid}-`));
t.teardown(() => rm(folder, { recursive: true, force: true }));

function readSnippets(path: string, language: string): string[] {
  const fences = readDocument(path).text.matchAll(/^```(\w*)\n([^]*?)^```$/gm);
  return [...fences].filter(([, each]) => each === language).map(([, , text = '']) => text);
}

t.test('docs/guide/cli.md', async t => {
  const cli = await Cli.make(t, { SKEIN_BASE_URL: node.url });
  // What goes on, or asks, is run by the tests beside this one.
  t.equal(readSnippets('docs/guide/cli.md', 'console').length, 2);
  const script = readSnippets('docs/guide/cli.md', 'sh').join('\n');
  const npx = `npx() { shift; "${process.execPath}" "${cli.program}" "$@"; }`;
  await mkdir(join(folder, 'project'));
  const { stdout } = await promisify(execFile)('bash', ['-e', '-o', 'pipefail', '-c', `${npx}\n${script}`], {
    cwd: join(folder, 'project'),
    env: cli.getEnvironment(),
    maxBuffer: 16 * 1_048_576,
  });
  for (const text of [
    'On its way.',
    'It will be there by noon.',
    'createMessage: ',
    'HTTP 200',
    'thread.message.received',
  ]) {
    t.match(stdout, text);
  }
});

t.test('docs/guide/first-five-minutes.md, by the SDK', async t => {
  const { baseUrl, apiKey, channelId, skein } = await createSdkAccount(node.url);
  const [program = ''] = readSnippets('docs/guide/first-five-minutes.md', 'ts');
  const [entry, outfile] = [join(folder, 'five.ts'), join(folder, 'five.mjs')];
  await writeFile(entry, program);
  const alias = { '@skein/sdk': join(root, 'clients', 'sdk', 'index.ts') };
  await bundle({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', alias });
  const env = {
    PATH: dirname(process.execPath),
    SKEIN_BASE_URL: baseUrl,
    SKEIN_API_KEY: apiKey,
    SKEIN_CHANNEL_ID: channelId,
  };
  const { stdout } = await promisify(execFile)(process.execPath, [outfile], { env });
  t.equal(stdout, 'inbound Is anybody there?\noutbound Yes. How can we help?\n');
  const [shown = ''] = readSnippets('docs/guide/first-five-minutes.md', 'json');
  const [made] = await skein.threads.list().toArray(1);
  t.strictSame(Object.keys(JSON.parse(shown)), Object.keys(made ?? {}), 'the thread that it shows');
});
