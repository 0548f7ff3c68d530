/** The package as it is published: built, packed, installed from its archive into an empty folder, and used there. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build as bundle } from 'esbuild';
import t from 'tap';
import { build } from '../../../clients/sdk/build.ts';
import { shareSdkAccount } from './sdk-account.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), `skein-sdk-${process.pid}-`));
t.teardown(() => rm(folder, { recursive: true, force: true }));
const packed = join(folder, 'packed');
const consumer = join(folder, 'consumer');
const bin = join(root, 'node_modules', '.bin');

/** What a command prints; it rejects with that when it fails. */
async function run(cwd: string, command: string, args: readonly string[], variables = {}): Promise<string> {
  const path = [dirname(process.execPath), bin, process.env['PATH']].join(delimiter);
  try {
    const options = {
      cwd,
      env: { PATH: path, HOME: folder, ...variables },
      shell: process.platform === 'win32',
    };
    const { stdout, stderr } = await promisify(execFile)(command, args, options);
    return stdout + stderr;
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}\n${stderr}`, { cause: error });
  }
}

const write = (name: string, text: string): Promise<void> => writeFile(join(consumer, name), text);

await build(packed);
const archive = (await run(packed, 'npm', ['pack', '--silent', '--pack-destination', folder])).trim();
await mkdir(consumer);
await write('package.json', '{ "name": "consumer", "private": true }');
await run(consumer, 'npm', [
  ...['install', '--offline', '--no-audit', '--no-fund', '--loglevel=error'],
  join(folder, archive),
]);

t.test('publint and attw find nothing, and the archive has what it should', async t => {
  t.match(await run(packed, 'publint', ['--strict']), 'All good!');
  const types = await run(folder, 'attw', [
    archive,
    '--profile',
    'node16',
    '--format',
    'ascii',
    '--no-emoji',
  ]);
  t.equal(types.match(/OK \((CJS|ESM)\)/g)?.length, 4, types);
  const { size } = await stat(join(folder, archive));
  t.ok(size < 140_000, `${size} bytes`);
  const files = await run(folder, 'tar', ['-tzf', archive]);
  t.match(files, 'package/LICENSE');
  t.match(files, 'package/README.md');
  t.notMatch(files, /generat(e\.|or)|names|compare|tsconfig/);
  const { dependencies } = JSON.parse(await readFile(join(packed, 'package.json'), 'utf8')) as {
    readonly dependencies?: object;
  };
  t.equal(dependencies, undefined);
});

t.test('8.7 KB with everything, 1.5 KB for webhooks, and each by itself', async t => {
  for (const [entry, limit] of [
    // 8,621: each operation adds some 4 bytes. `check` of a stream, without which a machine that has slept waits for 80 s, did not fit into 8 KB.
    ['index', 8_900],
    ['webhooks', 1_536],
  ] as const) {
    const { outputFiles } = await bundle({
      entryPoints: [join(packed, 'dist', 'esm', `${entry}.js`)],
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
      target: 'es2022',
    });
    const bytes = gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length;
    t.comment(`${entry}: ${bytes} bytes`);
    t.ok(bytes <= limit, `${entry} has ${bytes} bytes, and may have ${limit}`);
  }
});

t.test('in Node: the README’s first lines as ES modules, the same as CommonJS, and in Jest', async t => {
  const { apiKey, baseUrl } = await shareSdkAccount(t);
  const variables = { SKEIN_API_KEY: apiKey, SKEIN_BASE_URL: baseUrl };
  const readme = await readFile(join(packed, 'README.md'), 'utf8');
  const lines = /```js\n([^]*?)```/.exec(readme)?.[1] ?? '';
  t.match(lines, "import { Skein } from '@skein/sdk';");
  const said = 'inbound Is anybody there?\noutbound Yes. How can we help?\n';
  await write('first.mjs', lines);
  t.equal(await run(consumer, process.execPath, ['first.mjs'], variables), said);
  const required = lines.replace(/import (.*) from ('.*');/, 'const $1 = require($2);');
  await write('first.cjs', `(async () => {\n${required}\n})();`);
  t.equal(await run(consumer, process.execPath, ['first.cjs'], variables), said);
  await write(
    'sdk.test.js',
    `const { Skein, ValidationError } = require('@skein/sdk');
const { constructEvent, signBody } = require('@skein/sdk/webhooks');
test('a call', async () => {
  const skein = new Skein();
  const { data } = await skein.channels.list();
  expect(data[0].kind).toBe('sandbox');
  await expect(skein.channels.create({ name: '' })).rejects.toThrow(ValidationError);
});
test('a webhook', async () => {
  const body = JSON.stringify({ eventName: 'thread.message.received' });
  const headers = await signBody('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', body);
  const event = await constructEvent('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', { headers, body });
  expect(event.eventName).toBe('thread.message.received');
});
`,
  );
  t.match(await run(consumer, 'jest', ['--rootDir', consumer], variables), '2 passed');
});

/** Five calls, a page, and a switch over events. */
const typed = `
import { Skein, type Message, type SkeinEvent, type Thread } from '@skein/sdk';
import { constructEvent } from '@skein/sdk/webhooks';
const skein = new Skein({ apiKey: 'svc_test_1' });
export async function use(threadId: string, request: Request): Promise<string> {
  const thread: Thread = await skein.threads.get(threadId);
  const message: Message = await skein.messages.create(threadId, { body: 'Hello' });
  await skein.threads.update(threadId, { status: 'closed', tags: ['vip'] as const });
  for await (const each of skein.threads.list({ status: 'open' })) console.log(each.status === 'open');
  const { data, requestId } = await skein.channels
    .receive('ch_1', { externalParticipantRef: 'a', body: 'Hi' }, { idempotencyKey: 'a' })
    .withResponse();
  // @ts-expect-error it is a word of three
  await skein.threads.list({ status: 'opened' });
  // @ts-expect-error a filter, and no such one
  await skein.threads.list({ stauts: 'open' });
  return describe(await constructEvent('whsec_', request)) + thread.status + message.body + data.body + requestId;
}
function describe(event: SkeinEvent): string {
  switch (event.eventName) {
    case 'thread.message.received': return event.data.message.body;
    case 'thread.tags.changed': return String(event.data.thread.tags);
    default: return event.eventName;
  }
}
`;

t.test('its types, from ES modules and from CommonJS, and what they cost', async t => {
  for (const name of ['use.mts', 'use.cts']) await write(name, typed);
  const compiler = (files: readonly string[], options: readonly string[]): Promise<string> =>
    run(consumer, 'tsc', [
      ...[
        '--noEmit',
        '--strict',
        '--target',
        'es2022',
        '--module',
        'nodenext',
        '--exactOptionalPropertyTypes',
      ],
      ...options,
      ...files,
    ]);
  const nodeTypes = [
    '--typeRoots',
    join(root, 'node_modules', '@types'),
    '--types',
    'node',
    '--skipLibCheck',
  ];
  const [printed] = await Promise.all([
    compiler(['use.mts'], ['--lib', 'es2022', ...nodeTypes, '--extendedDiagnostics']),
    // The package's own declarations, too.
    compiler(['use.mts', 'use.cts'], ['--lib', 'es2022,dom,dom.asynciterable']),
  ]);
  const count = Number(/Instantiations:\s+(\d+)/.exec(printed)?.[1]);
  t.comment(`${count} instantiations`);
  t.ok(count < 500, `${count} instantiations`);
});
