/** No server, a proxy, no home, a full disk, two commands at once, a broken pipe: what each ends with, and what is left afterwards. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { startTestDatabase } from '../../support/database.ts';
import { startSkeinOn } from '../../support/skein-in-process.ts';
import { createSdkAccount } from '../sdk/sdk-account.ts';
import { Cli, RunningCli } from './cli.ts';

const cli = await Cli.make(t);
const { url } = await startTestDatabase(t);
const node = await startSkeinOn(t, url);
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
  await writeFile(file, '{', { mode: 0o600 });
  t.match(await other.run(['whoami']), { code: 1, stderr: /is damaged/ });
  await chmod(file, 0o644);
  t.match(await other.run(['whoami']), { code: 1, stderr: /chmod 600/ });
  t.equal((await other.run(['whoami'], { env })).code, 0);
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
});

t.test('JSON has nothing that a terminal obeys, or that hides', async t => {
  const body = 'a\u202eb\u200bc\ufeffd\u{e0041}e';
  const from = ['trigger', 'inbound', '--from', 'hostile', '--body', body];
  const [{ threadId = '' } = {}] = await cli.json(t, from, { env });
  const shown = await cli.ok(t, ['api', 'listMessages', '-f', `threadId=${threadId}`], { env });
  t.notMatch(shown, /[\u202e\u200b\ufeff\u{e0041}]/u);
  t.equal((JSON.parse(shown) as { data: { body: string }[] }).data[0]?.body, body, 'and is the same');
});
