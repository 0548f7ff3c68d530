/** No server, a proxy, no home, a full disk, two commands at once, a broken pipe: what each ends with, and what is left afterwards. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { shareSkein } from '../../support/skein.ts';
import { createSdkAccount } from '../sdk/sdk-account.ts';
import { Cli, RunningCli, type CliResult } from './cli.ts';

const cli = await Cli.make(t);
const node = await shareSkein(t);
const account = await createSdkAccount(node.url);
const env = { SKEIN_API_KEY: account.apiKey, SKEIN_BASE_URL: node.url };
const email = `${account.projectId}@example.com`;
const signUp = ['init', '--yes', '--email', email, '--password-stdin', '--base-url', node.url];

t.test('no server, the wrong port, a proxy', async t => {
  const nowhere = await cli.run(['threads', 'list', '--base-url', 'http://127.0.0.1:1'], { env });
  t.match(nowhere, { code: 5, stdout: '', stderr: /No answer from http:\/\/127\.0\.0\.1:1: [^]*npm start/ });
  const json = await cli.run(['threads', 'list', '--json', '--base-url', 'http://127.0.0.1:1'], { env });
  t.equal(JSON.parse(json.stderr).error, 'cli/connection');
  for (const status of [200, 502]) {
    const proxy = createServer((_, response) =>
      response.writeHead(status, { 'content-type': 'text/html' }).end('<html>'),
    );
    await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const page = await cli.run(['whoami', '--base-url', baseUrl], { env });
    t.match(page, { code: 1, stdout: '', stderr: new RegExp(`http/${status}[^]*base URL`) });
    t.equal((await cli.run(['doctor', '--base-url', baseUrl], { env })).code, 1);
    proxy.close();
  }
  t.equal((await cli.run(['threads', 'list', '--base-url', 'nothing'], { env })).code, 2);
});

t.test('no credential, no home, no terminal', async t => {
  t.match(await cli.run(['threads', 'list']), { code: 4, stderr: /skein login/ });
  t.match(await cli.run(['login']), { code: 2, stderr: /no terminal to ask on[^]*--email/ });
  const homeless = { ...env, HOME: '', XDG_CONFIG_HOME: '' };
  t.equal((await cli.run(['threads', 'list'], { env: homeless })).code, 0, 'a key needs no home');
  const login = await cli.run(['login', '--key-stdin'], {
    env: { HOME: '', XDG_CONFIG_HOME: '' },
    input: account.apiKey,
  });
  t.match(login, { code: 1, stderr: /HOME or XDG_CONFIG_HOME/ });
});

t.test('a folder that cannot be written', async t => {
  const occupied = join(cli.home, '..', 'occupied');
  await writeFile(occupied, 'a file, and no folder');
  const blocked = cli.withHome(join(occupied, 'home'));
  const login = ['login', '--key-stdin', '--base-url', node.url];
  t.match(await blocked.run(login, { input: account.apiKey }), { code: 1, stderr: /cannot be written/ });
  const listen = await blocked.run(['listen', '--print-secret'], { env });
  t.match(listen, { code: 1, stdout: '', stderr: /cannot be written/ });
  t.equal((await blocked.run(['threads', 'list'], { env })).code, 0);
});

t.test('a full disk: the key that was made is taken back, and the profile is what it was', async t => {
  await cli.ok(t, signUp, { input: 'correct horse battery', cwd: await makeFolder() });
  const before = await readFile(cli.profilesFile, 'utf8');
  // No byte may be written to a file: EFBIG, where a disk says ENOSPC.
  const login = `"${process.execPath}" "${cli.program}" login --email ${email} --password-stdin --base-url ${node.url}`;
  const shell = spawn('bash', ['-c', `ulimit -f 0; exec ${login}`], { env: cli.getEnvironment() });
  const running = new RunningCli(shell);
  shell.stdin.end('correct horse battery');
  t.match(await running.ended, { code: 1, stderr: /cannot be written/ });
  t.equal(await readFile(cli.profilesFile, 'utf8'), before);
  const keys = await cli.json(t, ['keys', 'list']);
  t.equal(keys.filter(key => key['status'] === 'revoked').length, 1);
});

t.test('a profile that others may read, or that is damaged, is refused', async t => {
  const other = cli.withHome(join(cli.home, '..', 'other'));
  const file = other.profilesFile;
  await mkdir(join(other.home, 'skein'), { recursive: true });
  for (const damage of [
    '{',
    'null',
    '[]',
    '{"profiles":null}',
    '{"profiles":{"default":{"baseUrl":"javascript:1"}}}',
  ]) {
    await writeFile(file, damage, { mode: 0o600 });
    t.match(await other.run(['whoami']), { code: 1, stderr: /is damaged/ }, damage);
  }
  await chmod(file, 0o644);
  t.match(await other.run(['whoami']), { code: 1, stderr: /chmod 600/ });
  t.equal((await other.run(['whoami'], { env })).code, 0);
});

/** A server that answers 404, and keeps what it was asked with. */
async function startOtherServer(t: Test): Promise<{ readonly baseUrl: string; readonly heard: string[] }> {
  const heard: string[] = [];
  const server = createServer(({ headers }, response) => {
    heard.push(`${headers.authorization ?? ''}${headers.cookie ?? ''}`);
    response.writeHead(404).end();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => void server.close());
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard };
}

t.test('what a profile has goes to its own server, whatever is asked', async t => {
  const { baseUrl, heard } = await startOtherServer(t);
  for (const line of [['whoami'], ['keys', 'list'], ['threads', 'list'], ['login'], ['init', '--yes']]) {
    for (const [args, env] of [
      [['--base-url', baseUrl], {}],
      [[], { SKEIN_BASE_URL: baseUrl }],
      [['--base-url', baseUrl, '--profile', 'default'], {}],
    ] as const) {
      if (line[0] === 'login' && args.length === 4) continue;
      const { code, stderr } = await cli.run([...line, ...args], { env });
      t.equal(code, 2, stderr);
      t.match(stderr, /Profile default is of http[^]*--profile/, line.join(' '));
    }
  }
  t.strictSame(heard, []);
  t.equal((await cli.run(['whoami'], { env: { SKEIN_BASE_URL: 'nonsense' } })).code, 2);
  await cli.ok(t, ['whoami', '--profile', 'default'], { env: { SKEIN_BASE_URL: baseUrl } });
  await cli.run(['openapi', '--base-url', baseUrl]);
  await cli.run(['whoami', '--base-url', baseUrl], { env });
  t.strictSame(heard, ['', `Bearer ${account.apiKey}`], 'but what needs none, and the key of the variable');
});

t.test('two commands that refresh at once share one refresh', async t => {
  const expire = async (): Promise<string> => {
    const file = JSON.parse(await readFile(cli.profilesFile, 'utf8'));
    file.profiles.default.signIn.expiresAt = 0;
    await writeFile(cli.profilesFile, JSON.stringify(file));
    return file.profiles.default.signIn.refreshCookie;
  };
  const cookie = await expire();
  const runs = await Promise.all(
    ['1', '2', '3'].map(limit => cli.run(['keys', 'list', '--limit', limit, '--verbose'])),
  );
  t.strictSame(
    runs.map(({ code }) => code),
    [0, 0, 0],
    runs.map(({ stderr }) => stderr).join(''),
  );
  t.equal(runs.filter(({ stderr }) => stderr.includes('refresh try')).length, 1);
  t.not(JSON.parse(await readFile(cli.profilesFile, 'utf8')).profiles.default.signIn.refreshCookie, cookie);
  await expire();
  const elsewhere = join(cli.home, '..', 'kept-elsewhere.json');
  await rename(cli.profilesFile, elsewhere);
  await symlink(elsewhere, cli.profilesFile);
  t.equal((await cli.run(['keys', 'list'])).code, 0);
  t.ok((await lstat(cli.profilesFile)).isSymbolicLink(), 'a link stays one');
  t.ok(JSON.parse(await readFile(elsewhere, 'utf8')).profiles.default.signIn.expiresAt > 0);
  await rename(elsewhere, cli.profilesFile);
  await expire();
  await writeFile(`${cli.profilesFile}.lock`, '999999999');
  t.equal((await cli.run(['keys', 'list'])).code, 0, 'the lock of a process that is gone is taken over');
  t.strictSame(
    (await readdir(join(cli.home, 'skein'))).sort(),
    ['listen', 'profiles.json'],
    'nothing is left beside',
  );
  t.equal((await stat(cli.profilesFile)).mode & 0o777, 0o600);
});

async function makeFolder(): Promise<string> {
  const folder = join(cli.home, '..', 'project');
  await mkdir(folder, { recursive: true });
  return folder;
}

t.test(
  'init: .env is closed to others, and nothing is written to one that git tracks, a link, or another project',
  async t => {
    const folder = await mkdtemp(join(cli.home, '..', 'env-'));
    const file = join(folder, '.env');
    const init = (): Promise<CliResult> => cli.run(['init', '--yes'], { cwd: folder });
    await writeFile(file, 'A=1\n', { mode: 0o644 });
    t.match(await init(), { code: 0, stderr: /nobody else may read it/ });
    t.equal((await stat(file)).mode & 0o777, 0o600);
    const own = await readFile(file, 'utf8');
    for (const other of [
      `SKEIN_API_KEY=${account.apiKey}\nSKEIN_BASE_URL=${node.url}\n`,
      'SKEIN_API_KEY=svc_test_of_the_default_address\n',
      `SKEIN_API_KEY=svc_test_nothing\nSKEIN_BASE_URL=${node.url}\n`,
      'SKEIN_PROJECT_ID=prj_of_another\n',
      'SKEIN_BASE_URL=http://127.0.0.1:1\n',
    ]) {
      await writeFile(file, other);
      t.match(await init(), { code: 1, stdout: '', stderr: /\.env has [^]*SKEIN_ lines/ }, other);
      t.equal(await readFile(file, 'utf8'), other);
    }
    await writeFile(file, `SKEIN_API_KEY=\nSKEIN_BASE_URL=${node.url}\n`);
    t.match(await init(), { code: 1, stderr: /\.env has an empty SKEIN_API_KEY/ });
    await writeFile(file, 'SKEIN_PROJECT_ID=""\n');
    t.match(await init(), { code: 1, stderr: /\.env has an empty SKEIN_PROJECT_ID/ });
    await writeFile(file, own);
    for (const args of [
      ['init', '-q'],
      ['add', '-f', '.env'],
    ])
      execFileSync('git', args, { cwd: folder });
    t.match(await init(), { code: 1, stderr: /git tracks/ });
    await rm(join(folder, '.git'), { recursive: true });
    await rename(file, join(folder, 'shared.env'));
    await symlink('shared.env', file);
    t.match(await init(), { code: 1, stderr: /is a link/ });
    t.equal(await readFile(file, 'utf8'), own);
  },
);

t.test('init: where .env cannot be written, no key is left that nobody has', async t => {
  const folder = await mkdtemp(join(cli.home, '..', 'env-'));
  const listNames = async (): Promise<unknown[]> =>
    (await cli.json(t, ['keys', 'list'])).map(key => key['name']);
  const before = await listNames();
  const [kept = ''] = (await readdir(join(cli.home, 'skein'), { recursive: true })).filter(name =>
    name.endsWith('.secret'),
  );
  const file = join(cli.home, 'skein', kept);
  const secret = await readFile(file, 'utf8');
  await writeFile(file, 'damaged');
  t.match(await cli.run(['init', '--yes'], { cwd: folder }), { code: 1, stderr: /is damaged/ });
  await writeFile(file, secret);
  t.strictSame(await listNames(), before);
});

t.test('what is not text on stdin is not sent', async t => {
  const running = cli.start(['threads', 'send', 'thread_1', '-'], { env });
  running.child.stdin?.end(Buffer.from([0xff, 0xfe]));
  t.match(await running.ended, { code: 2, stderr: /not UTF-8/ });
});

t.test('listen and tail refuse what no event matches, no request reaches, or nobody can read', async t => {
  const to = ['listen', '--forward-to'];
  for (const line of [
    ['tail', 'nope'],
    ['tail', '--thread', '../x'],
    ['tail', '--since', 'soon'],
    [...to, '1', '--events', 'nope.*'],
    [...to, '1', '--thread', '../x'],
    ...['ftp://x', '0', 'http://', 'http://me:hidden@x'].map(target => [...to, target]),
    ['api', 'listThreads', '--paginate', '-i'],
  ]) {
    const { code, stderr } = await cli.run(line, { env });
    t.equal(code, 2, `${line.join(' ')}: ${stderr}`);
    t.notMatch(stderr, 'hidden');
  }
  const first = cli.start([...to, '1'], { env });
  await first.printed('Connected');
  t.match(await cli.run([...to, '1'], { env }), { code: 1, stderr: /Another skein command/ });
  await first.end();
  const folder = join(cli.home, 'skein', 'listen');
  const damage = async (ending: string): Promise<void> => {
    const names = (await readdir(folder)).filter(name => name.endsWith(ending));
    for (const name of names) await writeFile(join(folder, name), '{bad');
  };
  await damage('.json');
  t.match(await cli.run([...to, '1'], { env }), { code: 1, stderr: /is damaged[^]*--from now/ });
  await damage('.secret');
  const secret = await cli.run(['listen', '--print-secret'], { env });
  t.match(secret, { code: 1, stdout: '', stderr: /is damaged/ });
});

t.test('a session that was ended elsewhere: exit 4, and what to do', async t => {
  const file = JSON.parse(await readFile(cli.profilesFile, 'utf8'));
  Object.assign(file.profiles.default.signIn, { expiresAt: 0, refreshCookie: 'svc_refresh=nothing' });
  await writeFile(cli.profilesFile, JSON.stringify(file));
  t.match(await cli.run(['keys', 'list']), { code: 4, stderr: /session has ended[^]*skein login/ });
});

t.test('who reads has had enough: a quiet end', async t => {
  const script = `"${process.execPath}" "${cli.program}" api --help | head -1; echo "\${PIPESTATUS[0]}"`;
  const shell = spawn('bash', ['-c', script], { env: cli.getEnvironment(env) });
  let printed = '';
  let complaints = '';
  shell.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  shell.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
  await once(shell, 'close');
  t.match(printed, /^Usage: [^\n]*\n0\n$/);
  t.equal(complaints, '');
  const tail = cli.start(['tail'], { env });
  await tail.printed('Following');
  tail.child.stdout?.destroy();
  for (let count = 0; count < 2; count++)
    await account.skein.channels.receive(account.channelId, {
      externalParticipantRef: 'customer-1',
      body: 'Hello?',
    });
  t.match(await tail.ended, { code: 0, stderr: /^Following[^\n]*\n$/ });
});

t.test('a full disk behind the output is said in one line', async t => {
  const full = spawn('sh', ['-c', '"$0" "$@" > /dev/full', process.execPath, cli.program, 'openapi'], {
    env: cli.getEnvironment(env),
  });
  const { code, stderr } = await new RunningCli(full).ended;
  t.equal(code, 1);
  t.match(stderr, /^The output cannot be written: [^\n]*ENOSPC[^\n]*\n$/);
});

t.test('what is wrong is said once, and wrong usage is 2', async t => {
  const { code, stderr } = await cli.run(['keys', 'create', 'x', '--scopes', 'nope'], { env });
  t.ok(code !== 0);
  const lines = stderr.split('\n').map(line => line.trim());
  t.equal(new Set(lines).size, lines.length, stderr);
  t.equal((await cli.run(['threads', 'show', ''], { env })).code, 2);
  t.match(await cli.run(['threads', 'lst']), {
    code: 2,
    stderr: /unknown command 'lst'[^]*Did you mean list/,
  });
});

t.test('JSON has nothing that a terminal obeys, or that hides', async t => {
  const body = 'a\u202eb\u200bc\ufeffd\u{e0041}e';
  const from = ['trigger', 'inbound', '--from', 'hostile', '--body', body];
  const [{ threadId = '' } = {}] = await cli.json(t, from, { env });
  const shown = await cli.ok(t, ['api', 'listMessages', '-f', `threadId=${threadId}`], { env });
  t.notMatch(shown, /[\u202e\u200b\ufeff\u{e0041}]/u);
  t.equal((JSON.parse(shown) as { data: { body: string }[] }).data[0]?.body, body, 'and is the same');
});
