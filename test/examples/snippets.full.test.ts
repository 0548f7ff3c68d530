/**
 * The snippets of the README and of three guides, run by bash as they are written, in their order, most of them twice in one session, against
 * a node with its usual limits. What starts a server belongs into another terminal: the test starts the node itself.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { startDemoProvider } from '../../bench/demo/chatapp/serve.ts';
import { pickPort } from '../support/free-port.ts';
import { root } from '../docs/markdown.ts';
import { startTestDatabase } from '../support/database.ts';
import { NodeProcess } from '../support/node-process.ts';

interface Snippet {
  readonly language: string;
  readonly text: string;
}

/** The code blocks of a document. */
async function readSnippets(path: string): Promise<Snippet[]> {
  const text = await readFile(join(root, path), 'utf8');
  return [...text.matchAll(/^```(\w*)\n([^]*?)^```$/gm)].map(([, language = '', text = '']) => ({
    language,
    text,
  }));
}

/** The lines for the shell, without those that start a server, a demo or the tests; these have to be the given ones. */
async function readScript(t: Test, path: string, elsewhere: readonly string[]): Promise<string> {
  const lines = (await readSnippets(path))
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => text.split('\n'));
  const isElsewhere = (line: string): boolean => /\bnpm (ci|start|test|run)\b/.test(line);
  t.same(lines.filter(isElsewhere), elsewhere, `what ${path} has for another terminal`);
  return lines.filter(line => !isElsewhere(line)).join('\n');
}

/** A folder like that of the repository, with a node whose data are in it. */
class Workplace {
  readonly folder: string;
  readonly #port: number;
  readonly #grpcPort: number;
  /** The chat provider's; undefined where there is none. */
  #providerUrl: string | undefined;

  private constructor(folder: string, port: number, grpcPort: number) {
    this.folder = folder;
    this.#port = port;
    this.#grpcPort = grpcPort;
  }

  static async make(t: Test): Promise<Workplace> {
    const folder = await mkdtemp(join(tmpdir(), `skein-snippets-${process.pid}-`));
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    await mkdir(join(folder, '.skein'));
    for (const name of ['node_modules', 'protocol']) await symlink(join(root, name), join(folder, name));
    return new Workplace(folder, await pickPort(), await pickPort());
  }

  /** Starts the node as `npm start` would. */
  async start(t: Test, environment: Readonly<Record<string, string>> = {}): Promise<void> {
    const { url } = await startTestDatabase(t);
    const node = await NodeProcess.make(t, {
      DATABASE_URL: url,
      DATA_DIR: join(this.folder, '.skein'),
      PORT: String(this.#port),
      GRPC_PORT: String(this.#grpcPort),
      RATE_LIMITS: '{}',
      ...environment,
    });
    await node.start();
    this.#providerUrl = environment['CHATAPP_GRAPH_URL'];
  }

  /** What the script prints. Rejects with that when one of its commands fails. */
  async run(script: string): Promise<string> {
    const text = this.here(script);
    try {
      const { stdout } = await promisify(execFile)('bash', ['-e', '-o', 'pipefail', '-c', text], {
        cwd: this.folder,
        env: { PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`, HOME: this.folder },
      });
      return stdout;
    } catch (error) {
      const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
      throw new Error(`the script failed:\n${stdout}\n${stderr}`, { cause: error });
    }
  }

  /** With the ports of this node and its chat provider. */
  here(text: string): string {
    return text
      .replaceAll('http://127.0.0.1:8090', this.#providerUrl ?? 'http://127.0.0.1:8090')
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${this.#port}`)
      .replaceAll('127.0.0.1:9090', `127.0.0.1:${this.#grpcPort}`);
  }
}

/** Its snippets, but those that start a node, the demo or all tests. */
const readReadme = (t: Test): Promise<string> =>
  readScript(t, 'README.md', ['npm ci && npm run demo', 'npm ci && npm test', 'npm start']);

const count = (text: string, part: string): number => text.split(part).length - 1;

t.test('README.md', async t => {
  const script = await readReadme(t);
  const workplace = await Workplace.make(t);
  await workplace.start(t);
  const printed = await workplace.run(`${script}\n${script}`);
  const text = await readFile(join(root, 'README.md'), 'utf8');
  const [, promised = ''] = /The last line prints `([^`]+)`/.exec(text) ?? [];
  t.equal(count(printed.replaceAll(/\s+/g, ' '), promised), 2, printed);
});

t.test('docs/guide/first-five-minutes.md', async t => {
  const script = await readScript(t, 'docs/guide/first-five-minutes.md', ['npm ci && npm start']);
  const workplace = await Workplace.make(t);
  await workplace.start(t);
  const printed = await workplace.run(`${script}\n${script}\necho "$live"`);
  t.equal(count(printed, '2 inbound: Is anybody there? (null)'), 2);
  t.equal(count(printed, '3 outbound: Yes. How can we help? (read)'), 2);
  t.equal(count(printed.toLowerCase(), 'idempotent-replayed: true'), 2);
  t.match(printed.trim().split('\n').at(-1), /^svc_live_/);
});

t.test('docs/guide/grpc.md, after first-five-minutes.md', async t => {
  const before = await readScript(t, 'docs/guide/first-five-minutes.md', ['npm ci && npm start']);
  const elsewhere = 'SERVICE_TOKENS=billing:$(cat .skein/service-token) npm start';
  const script = await readScript(t, 'docs/guide/grpc.md', [elsewhere]);
  const [makeToken = '', ...calls] = script.split('\n');
  const workplace = await Workplace.make(t);
  const program = (await readSnippets('docs/guide/grpc.md')).find(({ language }) => language === 'js');
  await writeFile(join(workplace.folder, 'ingest.mjs'), workplace.here(program?.text ?? ''));
  await workplace.run(makeToken);
  const token = await readFile(join(workplace.folder, '.skein/service-token'), 'utf8');
  await workplace.start(t, { SERVICE_TOKENS: `billing:${token.trim()}` });
  const printed = await workplace.run([before, ...calls, ...calls].join('\n'));
  t.equal(count(printed, 'Hello over gRPC'), 2, printed);
});

t.test('docs/guide/channels.md, after first-five-minutes.md', async t => {
  const before = await readScript(t, 'docs/guide/first-five-minutes.md', ['npm ci && npm start']);
  const script = await readScript(t, 'docs/guide/channels.md', [
    'npm run demo:chatapp -- --serve',
    'CHATAPP_GRAPH_URL=http://127.0.0.1:8090 npm start',
  ]);
  const told: string[] = [];
  const provider = await startDemoProvider(0, line => void told.push(line));
  t.teardown(() => provider.stop());
  const workplace = await Workplace.make(t);
  await workplace.start(t, { CHATAPP_GRAPH_URL: provider.url });
  const printed = await workplace.run(`${before}\n${script}`);
  t.match(printed, 'Hello Bob, your order B-4 is on its way.');
  t.equal(told.filter(line => line.endsWith('Yes. How can we help?')).length, 1, told.join('\n'));
  t.equal(told.filter(line => line.endsWith('[template order_sent]')).length, 1);
});

t.test('a token that has expired is said, and not printed as something', async t => {
  const script = await readReadme(t);
  const workplace = await Workplace.make(t);
  await workplace.start(t);
  const helpers = script.slice(0, script.indexOf('token=$('));
  const tried = workplace.run(`${helpers}\ntoken=expired\ncall projects | field 'data[0].projectId'`);
  await t.rejects(tried, { message: /svc\/auth\/invalid_token/ });
});
