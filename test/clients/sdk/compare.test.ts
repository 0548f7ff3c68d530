/** The comparison of two versions of the SDK, with changes planted in the declarations of the new one. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { compile } from '../../../clients/sdk/build.ts';
import { compare } from '../../../clients/sdk/compare.ts';

const run = promisify(execFile);
const command = fileURLToPath(new URL('../../../clients/sdk/compare.ts', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), `skein-sdk-${process.pid}-`));
t.teardown(() => rm(folder, { recursive: true, force: true }));
const old = join(folder, 'old');
const next = join(folder, 'next');
await compile(join(old, 'dist', 'esm'));
await cp(old, next, { recursive: true });

/** Replaces texts in a file of the new version, each once after the place that names it. */
async function plant(
  name: string,
  ...changes: readonly (readonly [after: string, from: string, to: string])[]
) {
  const file = join(next, 'dist', 'esm', name);
  let text = await readFile(join(old, 'dist', 'esm', name), 'utf8');
  for (const [after, from, to] of changes) {
    const at = text.indexOf(from, text.indexOf(after));
    if (!text.includes(after) || at < 0) throw new Error(`${name} has no "${from}" after "${after}"`);
    text = text.slice(0, at) + to + text.slice(at + from.length);
  }
  await writeFile(file, text);
}

const status = "    status?: 'open' | 'closed' | 'archived' | undefined;\n";

t.test(
  'additions break nothing: optional fields, parameters, fields of answers, values, exports',
  async t => {
    await plant(
      'generated/types.d.ts',
      ['interface UpdateThreadBody {', status, `${status}    planted?: string | undefined;\n`],
      ['interface UpdateLoomBody {', '{', "{\n    wider?: 'a' | undefined;"],
      ['interface Workspace {', '{', '{\n    planted: string;'],
      ['export interface Actor {', 'export', 'export interface Planted {\n    id: string;\n}\nexport'],
    );
    await plant('generated/resources.d.ts', [
      'interface ThreadsApi {',
      'get(threadId: string, options',
      'planted(): Call<Thread>;\n    get(threadId: string, options',
    ]);
    await plant('webhooks.d.ts', ['function signBody(', 'body: string', 'body: string | number']);
    const { removed, incompatible, changed } = await compare(old, next);
    t.strictSame({ removed, incompatible }, { removed: [], incompatible: [] });
    t.ok(changed.includes('index.UpdateThreadBody'));
    t.ok(changed.includes('index.Workspace'));
  },
);

t.test(
  'the command names each break in two archives: removed methods, fields and types, narrower input, wider answers',
  async t => {
    await plant(
      'generated/types.d.ts',
      ['interface UpdateThreadBody {', status, "    status?: 'open' | undefined;\n"],
      ['interface UpdateLoomBody {', '{', '{\n    planted: string;'],
      ['interface RecoveryCodes {', 'RecoveryCodes', 'RenamedCodes'],
      ['interface Passkey {', 'name: string;', 'name: string | null;'],
    );
    await plant(
      'generated/resources.d.ts',
      ['import type', 'RecoveryCodes', 'RenamedCodes as RecoveryCodes'],
      ['interface ListThreadsQuery {', '    q?: string | undefined;\n', ''],
      ['interface ThreadsApi {', 'get(threadId', 'getOne(threadId'],
    );
    await plant('stream.d.ts', ['interface EventStream', 'threadId: string | null', 'threadId: string']);
    await plant('webhooks.d.ts', ['function signBody(', 'body: string', 'body: Uint8Array']);
    for (const name of ['old', 'next']) {
      await run('tar', ['-czf', join(folder, `${name}.tgz`), '-C', folder, name]);
    }
    const archives = [join(folder, 'old.tgz'), join(folder, 'next.tgz')];
    const ended = (await run(process.execPath, [command, ...archives]).catch((error: unknown) => error)) as {
      readonly code?: number;
      readonly stdout: string;
    };
    t.equal(ended.code, 1, 'the command fails');
    t.strictSame(ended.stdout.split(/^changed: \d+$/m)[0]?.split('\n'), [
      'removed: 2',
      '  index.ListThreadsQuery.q',
      '  index.RecoveryCodes',
      'incompatible: 14',
      '  index.EventStream.view',
      '  index.LoomsApi.update',
      '  index.PasskeysApi.create',
      '  index.PasskeysApi.list',
      '  index.PasskeysApi.update',
      '  index.Skein.looms.update',
      '  index.Skein.passkeys.create',
      '  index.Skein.passkeys.list',
      '  index.Skein.passkeys.update',
      '  index.Skein.threads.get',
      '  index.Skein.threads.update',
      '  index.ThreadsApi.get',
      '  index.ThreadsApi.update',
      '  webhooks.signBody',
      '',
    ]);
  },
);
