/** Every command as a script uses it: against a real node, with what it prints, its JSON and its exit codes, and never a secret. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { answer, Receiver } from '../../support/receiver.ts';
import { withTimeLimit } from '../../support/time-limit.ts';
import { startTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { shareSkein, startSkeinOn } from '../../support/skein.ts';
import { createSdkAccount } from '../sdk/sdk-account.ts';
import { Cli } from './cli.ts';

const node = await shareSkein(t);
const cli = await Cli.make(t, { SKEIN_BASE_URL: node.url });
const email = `${randomUUID()}@example.com`;
const password = randomUUID();
const folder = await mkdtemp(join(tmpdir(), `skein-init-${process.pid}-`));
t.teardown(() => rm(folder, { recursive: true, force: true }));
const receiver = await Receiver.start();
t.teardown(() => receiver.stop());

/** Of the profile: what no command may print. */
async function readSecrets(): Promise<{
  apiKey: string;
  signIn: { accessToken: string; refreshCookie: string };
}> {
  const { profiles } = JSON.parse(await readFile(cli.profilesFile, 'utf8'));
  return profiles.default;
}

t.test(
  'init: an account, a channel, a key in .env, a first message; and again, without a second of anything',
  async t => {
    await writeFile(join(folder, '.env'), 'MINE=kept');
    const account = ['init', '--yes', '--email', email, '--password-stdin'];
    const printed = await cli.ok(t, account, { cwd: folder, input: `${password}\n` });
    t.match(printed, /await skein\.messages\.create\(threadId/);
    const env = await readFile(join(folder, '.env'), 'utf8');
    t.match(env, /^MINE=kept\nSKEIN_BASE_URL=http/, 'a value that was there stays');
    t.match(env, /^SKEIN_API_KEY=svc_test_\S+$/m);
    t.match(env, /^SKEIN_WEBHOOK_SECRET=whsec_\S+$/m);
    t.equal(await readFile(join(folder, '.gitignore'), 'utf8'), '.env\n');
    const [again] = await cli.json(t, ['init', '--yes'], { cwd: folder });
    t.equal(await readFile(join(folder, '.env'), 'utf8'), env);
    t.equal((await cli.json(t, ['api', 'listChannels', '--paginate'])).length, 1);
    t.match(again?.['messageId'], /^msg_/);
    t.equal((await stat(cli.profilesFile)).mode & 0o777, 0o600);
    t.equal((await stat(join(cli.home, 'skein'))).mode & 0o777, 0o700);
  },
);

t.test('login, whoami, profiles, logout', async t => {
  const login = ['login', '--email', email, '--password-stdin', '--profile', 'second'];
  await cli.ok(t, login, { input: password });
  const [who] = await cli.json<{ credential: string; scopes: string[]; signedInAs: string }>(t, ['whoami']);
  t.match(who, { credential: /^profile second in /, scopes: ['*'], signedInAs: email });
  t.equal((await cli.json(t, ['keys', 'list'])).filter(key => key['status'] === 'active').length, 3);
  t.match(await cli.ok(t, ['profiles', 'list']), /^ \tdefault\t.*\n\*\tsecond\t/);
  await cli.ok(t, ['profiles', 'use', 'default']);
  const [byEnvironment] = await cli.json(t, ['whoami'], {
    env: { SKEIN_API_KEY: (await readSecrets()).apiKey },
  });
  t.equal(byEnvironment?.['credential'], 'SKEIN_API_KEY of the environment');
  const env = { SKEIN_API_KEY: 'svc_test_nothing' };
  t.match((await cli.json(t, ['whoami', '--profile', 'second'], { env }))[0], {
    credential: /^profile second/,
  });
  await cli.ok(t, ['logout', '--profile', 'second']);
  const statuses = (await cli.json(t, ['keys', 'list'])).map(key => key['status']).sort();
  t.strictSame(statuses, ['active', 'active', 'revoked']);
  const { apiKey } = await readSecrets();
  await cli.ok(t, ['login', '--key-stdin', '--profile', 'key'], { input: `${apiKey}\n` });
  t.equal((await cli.run(['keys', 'list'])).code, 4, 'no key does what a person does');
  await cli.ok(t, ['profiles', 'remove', 'key']);
  t.equal((await cli.run(['whoami', '--profile', 'key'])).code, 2);
  const wrong = await cli.run(['login', '--email', email, '--password-stdin'], { input: 'wrong password' });
  t.equal(wrong.code, 4);
  t.notMatch(wrong.stderr, 'whoami');
});

t.test('api: fields go where the contract says, with the credential that it wants', async t => {
  const [channel] = await cli.json(t, ['api', 'listChannels', '--paginate']);
  const channelId = channel?.['channelId'] ?? '';
  const [thread] = await cli.json(t, [
    'api',
    'createThread',
    '-f',
    `channelId=${channelId}`,
    '-f',
    'externalRef=customer-7',
    '-F',
    'metadata={"a":[1]}',
  ]);
  t.match(thread, { channelId, externalRef: 'customer-7', metadata: { a: [1] } });
  const threadId = thread?.['threadId'] ?? '';
  const once = ['api', 'updateThread', '-f', `threadId=${threadId}`, '--input', '-'];
  t.match((await cli.json(t, once, { input: '{"tags":["a","b"]}' }))[0], { tags: ['a', 'b'] });
  const either = ['api', 'listThreads', '-f', 'tag=a', '-f', 'tag=none', '--paginate'];
  t.match(await cli.json(t, either), [{ threadId }], 'a field that is given twice is a list');
  t.match(
    await cli.ok(t, ['api', 'getThread', '-f', `threadId=${threadId}`, '-i']),
    /^HTTP 200[^]*x-request-id: req_/i,
  );
  t.equal((await cli.json(t, ['api', 'listApiKeys', '--paginate'])).length > 1, true, 'by the sign-in');
  t.match(await cli.ok(t, ['api', 'createMessage', '--help']), /threadId +path, required[^]*body +body, /);
  t.match(await cli.ok(t, ['api', '--help']), 'createMessage');
  const unknown = await cli.run(['api', 'createMessages']);
  t.match(unknown, { code: 2, stderr: /Do you mean .*createMessage/ });
  t.match(await cli.run(['api', 'getThread']), { code: 2, stderr: /threadId is missing/ });
  t.match(await cli.run(['api', 'updateThread', '-f', `threadId=${threadId}`, '-f', 'nope=1']), {
    code: 2,
    stderr: /nope/,
  });
  t.match(await cli.run(['api', 'getThread', '-f', 'threadId=thread_of_another_environment']), {
    code: 1,
    stderr: /svc\/runtime\/not_found[^]*whoami/,
  });
  const key = `key-${randomUUID()}`;
  const create = [
    'api',
    'createThread',
    '-f',
    `channelId=${channelId}`,
    '-f',
    'externalRef=customer-8',
    '--idempotency-key',
    key,
  ];
  t.strictSame(await cli.json(t, create), await cli.json(t, create));
});

t.test('threads and messages', async t => {
  const [made] = await cli.json(t, [
    'trigger',
    'inbound',
    '--body',
    'Where is it?\u001b[31m',
    '--from',
    'customer-9',
  ]);
  const { threadId = '', messageId = '' } = made ?? {};
  const [sent] = await cli.json(t, ['threads', 'send', threadId, '-'], { input: 'On its way.\n' });
  t.match(sent, { direction: 'outbound', body: 'On its way.' });
  for (const event of ['delivered', 'read']) await cli.ok(t, ['trigger', event, sent?.['messageId'] ?? '']);
  const [shown] = await cli.json<{ messages: { body: string; status: string }[] }>(t, [
    'threads',
    'show',
    threadId,
  ]);
  t.match(shown?.messages, [{ body: 'Where is it?\u001b[31m' }, { status: 'read' }]);
  t.notMatch(
    await cli.ok(t, ['threads', 'show', threadId]),
    '\u001b[31m',
    'what others write moves no cursor',
  );
  t.match(
    await cli.ok(t, ['messages', 'list', threadId]),
    /\t.*\tinbound\t-\tWhere is it\?.*\n.*\tOn its way\.\n$/,
  );
  t.match(await cli.ok(t, ['messages', 'timeline', threadId, messageId]), 'thread.message.received');
  const listed = await cli.json(t, [
    'threads',
    'list',
    '--participant-ref',
    'customer-9',
    '--status',
    'open',
  ]);
  t.strictSame(
    listed.map(thread => thread['threadId']),
    [threadId],
  );
  t.equal((await cli.json(t, ['threads', 'list', '--limit', '2'])).length, 2);
  t.equal((await cli.json(t, ['threads', 'list', '--all'])).length, 4);
  t.match((await cli.json(t, ['threads', 'close', threadId]))[0], { status: 'closed' });
  t.equal((await cli.run(['threads', 'list', '--status', 'nope'])).code, 2);
  await cli.ok(t, ['trigger', 'window-expired', threadId]);
  t.equal((await cli.json(t, ['trigger', 'inbound', '--thread', threadId, '--repeat', '2'])).length, 2);
  const failed = await cli.json(t, ['threads', 'send', threadId, 'Hello?']);
  await cli.ok(t, ['trigger', 'failed', failed[0]?.['messageId'] ?? '']);
});

t.test('stitches, deliveries, events, keys, openapi', async t => {
  const created = await cli.run([
    'stitches',
    'create',
    receiver.url('/hook'),
    '--events',
    'thread.message.received',
  ]);
  t.match(created, { code: 0, stdout: /^whsec_\S+\n$/, stderr: /Made stch_|Made \w+_/ });
  const [stitch] = await cli.json(t, ['stitches', 'list']);
  const stitchId = stitch?.['stitchId'] ?? '';
  const [pinged] = await cli.json(t, ['trigger', 'ping', stitchId]);
  await withTimeLimit(receiver.arrived(1), 'webhook');
  await cli.ok(t, ['stitches', 'test', stitchId]);
  receiver.behaviour = answer(500);
  const failed = await cli.run(['deliveries', 'replay', pinged?.['deliveryId'] ?? '', '--json']);
  t.equal(failed.code, 0, failed.stderr);
  receiver.behaviour = answer(204);
  const [replayed] = await cli.json(t, ['deliveries', 'replay', pinged?.['deliveryId'] ?? '', '--wait']);
  t.equal(replayed?.['status'], 'delivered');
  t.match(
    await cli.ok(t, ['deliveries', 'list', '--stitch-id', stitchId, '--since', '10m']),
    /\tdelivered\t/,
  );
  t.match((await cli.json(t, ['deliveries', 'show', replayed?.['deliveryId'] ?? '']))[0], { stitchId });
  t.match(await cli.ok(t, ['deliveries', 'attempts', replayed?.['deliveryId'] ?? '']), /\t204\t/);
  await cli.ok(t, ['stitches', 'replay', stitchId, '--since', '10m']);
  t.match(await cli.ok(t, ['stitches', 'rotate-secret', stitchId, '--grace', '1h']), /^whsec_\S+\n$/);
  t.match(await cli.ok(t, ['events', 'types']), /^thread\.message\.received\t/m);
  t.match(await cli.json(t, ['openapi']), [{ openapi: /^3\.1/ }]);
  const key = ['keys', 'create', 'CI', '--scopes', 'threads:read,messages:read', '--expires', '90d'];
  const made = await cli.run(key);
  t.match(made, { code: 0, stdout: /^svc_test_\S+\n$/, stderr: /Made / });
  const [listed] = (await cli.json(t, ['keys', 'list'])).filter(each => each['name'] === 'CI');
  t.match(listed, { scopes: ['threads:read', 'messages:read'], expiresAt: /^\d{4}-/ });
  const narrow = { SKEIN_API_KEY: made.stdout.trim() };
  t.match(await cli.run(['trigger', 'inbound'], { env: narrow }), {
    code: 4,
    stderr: /insufficient_scope/,
  });
  t.match(await cli.run(['doctor'], { env: narrow }), {
    code: 0,
    stdout: /^ok +quota [^]*^note +stitches .*webhooks:read/m,
  });
  t.match(await cli.ok(t, ['keys', 'rotate', listed?.['apiKeyId'] ?? '']), /^svc_test_\S+\n$/);
  await cli.ok(t, ['keys', 'revoke', listed?.['apiKeyId'] ?? '']);
});

t.test('dead letters, for operators of the service', async t => {
  const { url, database } = await startTestDatabase(t);
  const operated = await startSkeinOn(t, url, { INSTANCE_ADMINS: email });
  const operator = await Cli.make(t, { SKEIN_BASE_URL: operated.url });
  const cwd = t.testdir({});
  const account = ['init', '--yes', '--email', email, '--password-stdin'];
  await operator.ok(t, account, { cwd, input: `${password}\n` });
  t.equal((await operator.run(['dead-letters', 'list'])).code, 1, 'the address is not verified');
  await database.query('update users set email_verified_at = now()');
  await eventually('operator', async () => (await operator.run(['dead-letters', 'list'])).code === 0);
  await database.query(
    `insert into dead_letters (kind, actor_id, name, payload, error, attempts, created_at)
     select 'channel', 'ch_' || n, 'reopenWebhook', '{"requestId":"req_1"}', 'no', 5, now() from generate_series(1, 4) n`,
  );
  const list = () => operator.json(t, ['dead-letters', 'list']);
  const [newest, second] = await list();
  t.match(newest, { kind: 'channel', actorId: 'ch_4', name: 'reopenWebhook', attempts: 5 });
  await operator.ok(t, ['dead-letters', 'delete', String(newest?.['deadLetterId'])]);
  await operator.ok(t, ['dead-letters', 'run', String(second?.['deadLetterId'])]);
  t.equal((await list()).length, 2);
  t.equal((await operator.run(['dead-letters', 'run'])).code, 2, 'which?');
  await operator.ok(t, ['dead-letters', 'run', '--all']);
  t.strictSame(await list(), []);
});

t.test('doctor', async t => {
  const findings = await cli.json(t, ['doctor']);
  const results = Object.fromEntries(findings.map(({ check, result }) => [check, result]));
  t.match(results, {
    server: 'ok',
    contract: 'ok',
    credential: 'ok',
    scopes: 'ok',
    stream: 'ok',
    quota: 'ok',
    stitches: 'ok',
  });
  t.not(results['clock'], 'failed');
  const absent = await cli.run(['doctor', '--base-url', 'http://127.0.0.1:1']);
  t.match(absent, { code: 1, stdout: /^failed {2}server .*npm start/ });
});

t.test('chat, tail and trigger, from pipes', async t => {
  const tail = cli.start(['tail', 'thread.message.*', '--since', '10m', '--json', '--ephemeral']);
  await tail.printed('Following');
  const chat = cli.start(['chat', '--as', 'customer-12', '--wait', '30s'], { input: 'Is anybody there?\n' });
  await chat.printed(/threads send (thread_\w+)/);
  const [, threadId = ''] = /threads send (thread_\w+)/.exec(chat.stderr) ?? [];
  await cli.ok(t, ['threads', 'send', threadId, 'Yes. How can we help?']);
  t.match(await chat.ended, { code: 0, stdout: '< Yes. How can we help?\n' });
  await tail.printed('How can we help');
  const { code, stdout } = await tail.end();
  t.equal(code, 130);
  const names = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line).eventName as string);
  t.ok(names.length > 2 && names.every(name => name.startsWith('thread.message.')), names.join());
  const { messages } =
    (await cli.json<{ messages: { status: string }[] }>(t, ['threads', 'show', threadId]))[0] ?? {};
  t.equal(messages?.at(-1)?.status, 'read');
});

t.test("errors are the catalogue's JSON on stderr, each with its exit code", async t => {
  const { stderr, code } = await cli.run(['threads', 'show', 'thread_missing', '--json']);
  t.equal(code, 1);
  t.match(JSON.parse(stderr), { error: 'svc/runtime/not_found', requestId: /^req_/ });
  const revoked = { SKEIN_API_KEY: 'svc_test_revoked' };
  t.equal((await cli.run(['threads', 'list'], { env: revoked })).code, 4);
  t.equal((await cli.run(['threads', 'list', '--limit', 'ten'])).code, 2);
  t.equal((await cli.run(['nothing'])).code, 2);
  t.equal((await cli.run(['threads'])).code, 2);
  t.equal((await cli.run(['threads', '--help'])).code, 0);
  const verbose = await cli.run(['threads', 'list', '--verbose']);
  t.match(verbose.stderr, /^listThreads try 1: 200 req_\w+ \d+ ms$/m);
});

t.test('ids of another environment are as unknown as any', async t => {
  const other = await createSdkAccount(node.url);
  const { threadId } = await other.skein.channels.receive(other.channelId, {
    externalParticipantRef: 'customer-1',
    body: 'Hello?',
  });
  t.match(await cli.run(['threads', 'show', threadId]), { code: 1, stderr: /svc\/runtime\/not_found/ });
  for (const args of [['tail'], ['listen', '--forward-to', '9']])
    t.match(await cli.run([...args, '--environment', other.environmentId]), {
      code: 5,
      stderr: /no such environment/,
    });
});

t.test('no secret has been printed, but by the commands that make one', async t => {
  const { apiKey, signIn } = await readSecrets();
  const printed = cli.results.map(({ stdout, stderr }) => stdout + stderr).join('\n');
  for (const secret of [apiKey, signIn.accessToken, signIn.refreshCookie, password])
    t.notOk(printed.includes(secret));
  t.notMatch(cli.results.map(({ stderr }) => stderr).join('\n'), /whsec_|svc_(test|live)_\w{20}|eyJ\w+\./);
});
