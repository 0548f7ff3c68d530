/** The CLI on a real terminal (`script` of util-linux): questions, Ctrl-C, widths, chat, and completion. */
import { execFile, execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { shareSkein } from '../../support/skein.ts';
import { Cli, stripTerminal, type RunningCli } from './cli.ts';

const has = (program: string): boolean => {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`]);
    return true;
  } catch {
    return false;
  }
};

if (!has('script')) throw new Error('install `script` of util-linux: it is the terminal of these tests');

const node = await shareSkein(t);
const cli = await Cli.make(t, { SKEIN_BASE_URL: node.url });
const folder = join(cli.home, '..', 'my project');
await mkdir(folder, { recursive: true });
const email = `${randomUUID()}@example.com`;
const enter = '\r';
const ctrlC = '\u0003';

async function type(running: RunningCli, question: string, keys: string): Promise<void> {
  await running.printed(question);
  running.child.stdin?.write(keys);
}

t.test('from nothing to an answered message in three commands', async t => {
  const init = cli.terminal(['init'], 120, folder);
  await type(init, 'An account on this server', enter);
  await type(init, 'E-mail address', `${email}${enter}`);
  await type(init, 'A password', `short${enter}`);
  await type(init, 'It has 8 characters', `\u007f\u007f\u007f\u007f\u007fcorrect horse battery${enter}`);
  const { code, stdout } = await init.ended;
  t.equal(code, 0, stripTerminal(stdout));
  t.notMatch(stdout, 'correct horse battery');
  t.match(await readFile(join(folder, '.env'), 'utf8'), /^SKEIN_API_KEY=svc_test_/m);

  const chat = cli.terminal(['chat']);
  await type(chat, /To answer/.source, `Where is my parcel?${enter}`);
  const [, threadId = ''] = /threads send (thread_\w+)/.exec(chat.stdout) ?? [];
  await chat.printed('> Is anybody there');
  await cli.ok(t, ['threads', 'send', threadId, 'On its way.']);
  await chat.printed('< On its way.');
  chat.child.stdin?.write(ctrlC);
  t.equal((await chat.ended).code, 130);
});

t.test('Ctrl-C in a question: exit 130, and nothing has happened', async t => {
  const before = await readFile(cli.profilesFile, 'utf8');
  const login = cli.terminal(['login', '--profile', 'other']);
  await type(login, 'E-mail address', ctrlC);
  t.equal((await login.ended).code, 130);
  const second = cli.terminal(['login', '--profile', 'other', '--email', 'a@example.com']);
  await type(second, 'Password', ctrlC);
  t.equal((await second.ended).code, 130);
  t.equal(await readFile(cli.profilesFile, 'utf8'), before);
});

t.test('Ctrl-D is as Ctrl-C, and says nothing', async t => {
  for (const [args, question] of [
    [[], 'E-mail address'],
    [['--email', 'a@example.com'], 'Password'],
  ] as const) {
    const login = cli.terminal(['login', '--profile', 'other', ...args]);
    await type(login, question, '\u0004');
    const { code, stdout } = await login.ended;
    t.equal(code, 130);
    t.notMatch(stdout, 'await');
  }
});

t.test('Ctrl-C ends what goes on: exit 130', async t => {
  const tail = cli.terminal(['tail']);
  await type(tail, 'Following', ctrlC);
  t.equal((await tail.ended).code, 130);
});

/** What a command shows on a terminal, which it is to end well in. */
async function show(t: Test, args: readonly string[], pattern: RegExp): Promise<string> {
  const { code, stdout } = await cli.terminal(args, 200).ended;
  const shown = stripTerminal(stdout).replaceAll('\r', '');
  t.equal(code, 0, args.join(' '), { shown });
  t.match(shown, pattern, args.join(' '));
  t.notMatch(shown, /undefined|\[object/, args.join(' '));
  return shown;
}

const pick = (text: string, prefix: string): string => new RegExp(`${prefix}_\\w+`).exec(text)?.[0] ?? prefix;

t.test('all other commands', async t => {
  const inbound = await show(t, ['trigger', 'inbound', '--from', 'ann'], /^messageId +msg_/m);
  const [threadId, messageId] = [pick(inbound, 'thread'), pick(inbound, 'msg')];
  const made = await show(t, ['stitches', 'create', 'http://127.0.0.1:65534/'], /^whsec_\S+$/m);
  const stitchId = pick(made, 'stitch');
  const deliveryId = pick(await show(t, ['stitches', 'test', stitchId], /^deliveryId +whd_/m), 'whd');
  const key = pick(await show(t, ['keys', 'create', 'CI'], /^svc_test_\S+$/m), 'key');
  const shown: [string[], RegExp][] = [
    [['whoami'], /^environment +sandbox$/m],
    [['profiles', 'list'], /^ +NAME +SERVER[^]*^\* +default +http/m],
    [['profiles', 'use', 'default'], /^Using default/m],
    [['doctor'], /^ok +server +http[^]*^ok +stream/m],
    [['threads', 'show', threadId], /^participant +\{[^]*^# +MESSAGE +DIRECTION/m],
    [['messages', 'list', threadId], /^\d+ +msg_\w+ +inbound +- +Hello from/m],
    [['messages', 'timeline', threadId, messageId], /thread\.message\.received/],
    [['stitches', 'list'], /^STITCH +NAME +STATUS/m],
    [['stitches', 'replay', stitchId, '--since', '10m'], /^\w+/],
    [['stitches', 'rotate-secret', stitchId], /^whsec_\S+$/m],
    [['deliveries', 'list'], /^DELIVERY +EVENT/m],
    [['deliveries', 'show', deliveryId], /^stitchId/m],
    [['deliveries', 'attempts', deliveryId], /^# +AT +ANSWER|^Nothing found/m],
    [['keys', 'list'], /^KEY +NAME[^]* CI +test /m],
    [['events', 'types'], /^EVENT +STREAM ONLY +WHAT/m],
    [['api', 'getCaller'], /^\{\n {2}"projectId"/m],
    [['openapi'], /^ {2}"openapi": "3\.1/m],
    [['listen', '--print-secret'], /^whsec_\S+$/m],
  ];
  await Promise.all(shown.map(([args, pattern]) => show(t, args, pattern)));
  await show(t, ['threads', 'close', threadId], /^status +closed$/m);
  await show(t, ['deliveries', 'replay', deliveryId], /^deliveryId +whd_/m);
  const rotated = await show(t, ['keys', 'rotate', key], /^svc_test_\S+$/m);
  await show(t, ['keys', 'revoke', pick(rotated, 'key')], /^Revoked key_/m);
  const listen = cli.terminal(['listen', '--forward-to', '65534']);
  await type(listen, 'Connected at', ctrlC);
  t.equal((await listen.ended).code, 130);
});

t.test('tables on 200 columns and on 40', async t => {
  const ref = `customer-${'x'.repeat(60)}`;
  await cli.ok(t, ['trigger', 'inbound', '--from', ref]);
  const wide = stripTerminal((await cli.terminal(['threads', 'list'], 200).ended).stdout);
  t.match(wide, /^THREAD +STATUS +PARTICIPANT /);
  t.match(wide, ref);
  const narrow = stripTerminal((await cli.terminal(['threads', 'list'], 40).ended).stdout);
  t.notMatch(narrow, ref);
  t.match(
    narrow,
    /thread_\w{26}  open .*custo\S*…  |thread_\w{26} +open +custo\S*…  /,
    'an id stays whole, and columns apart',
  );
  const plain = await cli.terminal(['--no-color', 'threads', 'list'], 200).ended;
  t.notMatch(plain.stdout, '\u001b[');
  const coloured = await cli.terminal(['threads', 'list'], 200).ended;
  t.match(coloured.stdout, '\u001b[');
});

t.test('completion: commands, operations, choices, profiles', async t => {
  for (const shell of ['zsh', 'fish', 'powershell']) t.match(await cli.ok(t, ['completion', shell]), 'skein');
  const offered = async (...words: string[]): Promise<string> => cli.ok(t, ['complete', '--', ...words]);
  t.match(await offered('thr'), /^threads\t/m);
  t.match(await offered('api', 'createMes'), /^createMessage/m);
  t.match(await offered('threads', 'list', '--status', ''), /^archived/m);
  t.match(await offered('--profile', ''), /^default/m);
});

t.test('bash completes at TAB, and runs nothing of the line', async t => {
  const script = await cli.ok(t, ['completion', 'bash']);
  const evil = join(cli.home, 'evil');
  const lines = [
    ['thr'],
    ['threads', 'list', '--status', ''],
    ['threads', 'send', 'x', `$(touch ${evil})`, ''],
    ['--profile', ''],
  ];
  const tries = lines.map(words => {
    const typed = words.map(word => `'${word}'`).join(' ');
    return `COMP_WORDS=(skein ${typed}); COMP_CWORD=${words.length}; _skein; echo "\${COMPREPLY[*]}"`;
  });
  // The second time as from a ~/.bashrc that is read again.
  const program = ['skein() { "$NODE" "$PROGRAM" "$@"; }', ...[script, script], ...tries].join('\n');
  const env = { ...cli.getEnvironment(), NODE: process.execPath, PROGRAM: cli.program };
  const { stdout, stderr } = await promisify(execFile)('bash', ['-c', program], { env });
  t.strictSame(stdout.split('\n'), ['threads', 'open closed archived', '', 'default', '']);
  t.equal(stderr, '');
  t.equal(existsSync(evil), false);
});

t.test('logout, and login again', async t => {
  await show(t, ['logout'], /^Signed out of default/m);
  const login = cli.terminal(['login']);
  await type(login, 'E-mail address', `${email}${enter}`);
  await type(login, 'Password', `correct horse battery${enter}`);
  t.match(await login.ended, { code: 0, stdout: `Signed in as ${email}` });
  await show(t, ['profiles', 'remove', 'default'], /^Removed default/m);
});
