/** `npm run keys`: re-seals everything under the newest key, beside nodes that write, after a kill, and without a lost key. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import t, { type Test } from 'tap';
import { nodeOptions } from '../../.config/node-options.js';
import { KeyRing } from '../../storage/secrets/key-ring.ts';
import { readSeals } from '../../storage/secrets/reseal.ts';
import { Vault } from '../../storage/secrets/vault.ts';
import { Client, Line } from '../node/client.ts';
import { newKey, newStitch, signUp, type Tenant } from '../node/tenant.ts';
import { Webhooks } from '../node/webhooks.ts';
import { freshKey } from '../support/accounts.ts';
import { startTestDatabase } from '../support/database.ts';
import { moduleCacheEnvironment, moduleCacheOptions } from '../support/module-cache-options.ts';
import { dataFolder, NodeProcess } from '../support/node-process.ts';
import { withTimeLimit } from '../support/time-limit.ts';

const program = fileURLToPath(new URL('../../gateway/keys.ts', import.meta.url));
const TOKEN_KEYS = freshKey('t1');
const keys = new Map(['k1', 'k2', 'k3', 'k4', 'k5'].map(kid => [kid, freshKey(kid)]));
const ring = (...kids: readonly string[]): string => kids.map(kid => keys.get(kid)).join(',');

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** Runs the command to its end. `onLine`: gets each line, and may kill it. */
async function runKeys(
  command: string,
  environment: Readonly<Record<string, string>>,
  onLine: (line: string, kill: () => void) => void = () => undefined,
): Promise<Ended> {
  const child = spawn(process.execPath, [...nodeOptions, ...moduleCacheOptions, program, command], {
    env: { PATH: process.env['PATH'] ?? '', ...moduleCacheEnvironment, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', line => {
      lines.push(line);
      onLine(line, () => child.kill('SIGKILL'));
    });
  }
  const [code] = (await withTimeLimit(once(child, 'close'), 'end of the command')) as [number | null];
  return { code, output: lines.join('\n') };
}

const { url, database } = await startTestDatabase(t);
const at = (...kids: readonly string[]) => ({ DATABASE_URL: url, SECRET_KEYS: ring(...kids), TOKEN_KEYS });

async function startNode(t: Test, ...kids: readonly string[]): Promise<{ node: NodeProcess; line: Line }> {
  const node = await NodeProcess.make(t, { ...at(...kids), ALLOW_PRIVATE_ADDRESSES: 'true' });
  await node.start();
  return { node, line: new Line(node.url, t) };
}

/** Sealed values by key. */
async function countByKey(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for await (const { kid } of readSeals(database)) counts[kid] = (counts[kid] ?? 0) + 1;
  return counts;
}

/** Mails that no node takes up; in order of their ids. */
async function queueMails(kid: string, count: number): Promise<string[]> {
  const vault = new Vault(new KeyRing(ring(kid)));
  const ids = Array.from({ length: count }, () => randomUUID()).sort();
  for (const id of ids) {
    await database.query(
      `insert into mails (mail_id, kind, recipient, secret, expires_at, created_at) values ($1, 'none', 'nobody', $2, now(), now())`,
      [id, await vault.seal(`mails/${id}/secret`, `token of ${id}`)],
    );
  }
  return ids;
}

const keyed = { key: 'kept-1' };
let tenant: Tenant;
let bearer = '';
let stitch = { stitchId: '', secret: '' };
let keptAnswer = '';

/** A value in every column that the API seals in. */
async function makeSecrets({ key, person, projectId, workspaceId }: Tenant): Promise<void> {
  const tool = { projectId, name: 'look_up', url: 'http://127.0.0.1:2', headers: { 'X-Key': 'of the shop' } };
  await key.get('createTool', { body: tool });
  const credential = { projectId, provider: 'llm_provider_1', displayName: 'Mine', secret: 'sk-0123456789' };
  const { byokCredentialId } = await person.get<{ byokCredentialId: string }>('createByokCredential', {
    body: credential,
  });
  await person.get('rotateByokCredential', {
    params: { byokCredentialId },
    body: { secret: 'sk-9876543210' },
  });
  const app = { workspaceId, name: 'app', appId: '1234', appSecret: 'a secret of an app' };
  await person.get('createPartnerApp', { body: app });
  const eventNames = ['thread.message.received'];
  stitch = await newStitch({ key, projectId }, 'http://127.0.0.1:2', eventNames);
}

const apiKeyOnce = () =>
  tenant.person.ask('createApiKey', {
    ...keyed,
    body: { projectId: tenant.projectId, name: 'kept', environment: 'test', scopes: ['*'] },
  });

t.test('status counts what is sealed by key and column, and shows no secret', async t => {
  const { node, line } = await startNode(t, 'k1');
  tenant = await signUp(line);
  await makeSecrets(tenant);
  bearer = (await newKey(tenant.person, tenant.projectId)).secret;
  keptAnswer = (await apiKeyOnce()).text;
  await queueMails('k1', 300);
  await node.stop();

  const { code, output } = await runKeys('status', at('k1'));
  t.equal(code, 0, output);
  t.match(output, 'secret key k1 (seals and opens): ');
  const columns = ['hash_root.sealed: 1', 'stitches.secrets: 1', 'tools.signing_secret: 1'];
  columns.push(
    'tools.sealed_headers: 1',
    'byok_credentials.secret: 1',
    'byok_credentials.previous_secret: 1',
  );
  columns.push('partner_apps.app_secret: 1', 'mails.secret: 300', 'idempotency_keys.body: 1');
  for (const column of columns) t.match(output, `  ${column}`);
  t.match(output, 'token key t1 (signs and verifies): stays');
  t.match(output, '  api_keys.key_hash: as long as the API key');
  for (const key of [...keys.values(), TOKEN_KEYS]) t.notMatch(output, key.split(':')[1]);
  t.notMatch(output, /eyJ/);
});

t.test('another key under the name of the one that sealed is found out', async t => {
  const environment = { ...at('k1'), SECRET_KEYS: freshKey('k1') };
  for (const command of ['status', 'reseal']) {
    const { code, output } = await runKeys(command, environment);
    t.equal(code, 2, command);
    t.match(output, /the secret key k1 is not the key of that name/);
  }
});

t.test('a run that is killed in the middle leaves the rest to the next', async t => {
  const [{ last } = { last: '' }] = await database.query<{ last: string }>(
    'select max(mail_id) as last from mails where secret is not null',
  );
  // The command waits for this row, in its last batch of mails.
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await holder.query('begin');
  await holder.query('select from mails where mail_id = $1 for update', [last]);
  const killed = await runKeys('reseal', at('k2', 'k1'), (line, kill) => {
    if (line.startsWith('mails.secret: 200 of ')) kill();
  });
  t.equal(killed.code, null, killed.output);
  await holder.end();
  const halfway = await countByKey();
  t.ok((halfway['k1'] ?? 0) > 0 && (halfway['k2'] ?? 0) > 200, JSON.stringify(halfway));
  const between = await runKeys('status', at('k2', 'k1'));
  t.match(between.output, /k1 may not be taken out yet: \d+ values are sealed under it/);

  const { code, output } = await runKeys('reseal', at('k2', 'k1'));
  t.equal(code, 0, output);
  t.match(output, 'k1 may be taken out, 5 minutes after every node has been started with k2 in front');
  t.same(Object.keys(await countByKey()), ['k2']);
});

t.test('without the oldest key everything works: credentials, kept answers, secrets', async t => {
  const { line } = await startNode(t, 'k2');
  const person = new Client(line, tenant.person.bearer);
  tenant = { ...tenant, person, key: new Client(line, bearer) };
  t.equal((await tenant.key.ask('listThreads', { query: { projectId: tenant.projectId } })).status, 200);
  const again = await apiKeyOnce();
  t.equal(again.text, keptAnswer);
  t.equal(again.headers['idempotent-replayed'], 'true');
  const vault = new Vault(new KeyRing(ring('k2')));
  const [{ secret } = { secret: '' }] = await database.query<{ secret: string }>(
    'select app_secret as secret from partner_apps',
  );
  const [{ id } = { id: '' }] = await database.query<{ id: string }>(
    'select partner_app_credential_id as id from partner_apps',
  );
  t.equal(await vault.open(`partner_apps/${id}/app_secret`, secret), 'a secret of an app');
});

t.test('what a lost key has sealed is named and left, and the rest goes on', async t => {
  const lost = await queueMails('k3', 2);
  const { code, output } = await runKeys('reseal', at('k4', 'k2'));
  t.equal(code, 2, output);
  for (const id of lost) t.match(output, `mails.secret of ${id}, sealed under k3: no key k3 in the ring`);
  const { k3, ...others } = await countByKey();
  t.equal(k3, 2);
  t.same(Object.keys(others), ['k4']);
  const status = await runKeys('status', at('k4', 'k2'));
  t.equal(status.code, 2);
  t.match(status.output, 'secret key k3 (NOT IN SECRET_KEYS): 2 sealed values');
  t.match(status.output, 'k2 may be taken out');
  await database.query(`delete from mails where mail_id = any ($1)`, [lost]);

  t.test('a node without the key of the root does not start', async t => {
    const node = await NodeProcess.make(t, at('k2'));
    node.spawn();
    t.equal((await node.exited()).code, 1);
    t.match(
      node.output,
      'SECRET_KEYS: the secret of hash_root/1/sealed does not open: no key k4 in the ring',
    );
  });
});

t.test('beside a node that writes, neither side loses anything', async t => {
  const { line } = await startNode(t, 'k5', 'k4');
  const key = new Client(line, bearer);
  const { projectId, channelId } = tenant;
  const webhooks = await Webhooks.listen(t);
  webhooks.secret = stitch.secret;
  /** A commit of the stitch, which writes its whole row from what the node has in memory: at first the secret under the older key. */
  const update = (webhookUrl: string) =>
    key.get('updateStitch', { params: { stitchId: stitch.stitchId }, body: { projectId, webhookUrl } });
  await update('http://127.0.0.1:3');
  let done = false;
  const resealing = runKeys('reseal', at('k5', 'k4')).finally(() => (done = true));
  while (!done) await update('http://127.0.0.1:4');
  await update(webhooks.url);
  const { code, output } = await resealing;
  t.equal(code, 0, output);
  t.match(output, 'stitches.secrets: 1 of 1 looked at, 1 re-sealed');
  t.same(Object.keys(await countByKey()), ['k5']);
  const message = { projectId, externalParticipantRef: 'ada', body: 'Hello' };
  await key.get('createInboundMessage', { params: { channelId }, body: message });
  const events = await key.get<{ data: { eventId: string }[] }>('listEvents', {
    query: { projectId, eventName: 'thread.message.received' },
  });
  await webhooks.arrived(events.data.map(({ eventId }) => eventId));
  t.not(webhooks.bodies.size, 0);
  t.same(webhooks.faults, [], 'signed with the same secret as ever');
});

t.test('the embedded database and the keys of its folder, with and without a node', async t => {
  const folder = await dataFolder(t);
  const environment = { DATA_DIR: folder };
  const early = await runKeys('status', environment);
  t.equal(early.code, 78);
  t.match(early.output, 'SECRET_KEYS is not set, and there is no ');
  const node = await NodeProcess.make(t, environment);
  await node.start();
  const beside = await runKeys('status', environment);
  t.equal(beside.code, 0, beside.output);
  t.match(beside.output, '  hash_root.sealed: 1');
  await node.stop();
  const withoutNode = await runKeys('reseal', environment);
  t.equal(withoutNode.code, 0, withoutNode.output);
});

t.test('anything else is refused', async t => {
  const wrong = await runKeys('rotate', at('k5'));
  t.equal(wrong.code, 64);
  t.match(wrong.output, 'npm run keys -- status');
  const bad = await runKeys('status', { DATABASE_URL: url, SECRET_KEYS: 'k1:short' });
  t.equal(bad.code, 78);
  t.match(bad.output, 'SECRET_KEYS wants kid:base64,kid:base64 with 32 bytes each');
});
