/** examples/stream-follower: every event once and in order, whoever dies meanwhile. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import t from 'tap';
import { signUp } from '../../bench/demo/account.ts';
import type { Page } from '../../bench/demo/api.ts';
import { startTestDatabase } from '../support/database.ts';
import { NodeProcess } from '../support/node-process.ts';
import { Example } from './example.ts';

const { url: databaseUrl } = await startTestDatabase(t);
const node = await NodeProcess.make(t, { DATABASE_URL: databaseUrl });
await node.start();
const { api, accessToken, projectId, environmentId } = await signUp(node.url);
const { channelId } = await api.post<{ channelId: string }>('/channels', {
  projectId,
  environmentId,
  name: 'Custom',
  kind: 'custom',
});
const { secret } = await api.post<{ secret: string }>('/api-keys', {
  projectId,
  name: 'Follower',
  environment: 'test',
  scopes: ['threads:read', 'messages:read'],
});
const folder = t.testdir({});

const follow = (more: Readonly<Record<string, string>> = {}): Example =>
  new Example(t, 'stream-follower', {
    SKEIN_BASE_URL: node.url,
    SKEIN_API_KEY: secret,
    ...more,
  });

interface Printed {
  readonly eventId: string;
  readonly eventName: string;
}

const printed = (example: Example): Printed[] => example.lines.map(line => JSON.parse(line) as Printed);

async function say(body: string): Promise<void> {
  const message = { projectId, externalParticipantRef: 'ada', body };
  await api.post(`/channels/${channelId}/inbound-messages`, message, randomUUID());
}

t.test('it misses nothing and repeats nothing', async t => {
  const CURSOR_FILE = join(folder, 'cursor.json');
  const first = follow({ CURSOR_FILE });
  const from = Number((await first.said(/^following from /)).split(' ').at(-1));
  await say('one');
  await first.said(/"body":"one"/);

  await node.kill();
  await first.said(/^closed: /);
  const seen = [...first.errors];
  await node.start();
  await first.said(/^following from /, seen);
  await say('two');
  await first.said(/"body":"two"/);
  await first.stop();

  await say('while it was away');
  const second = follow({ CURSOR_FILE });
  await second.said(/"body":"while it was away"/);

  const { data } = await api.get<Page<Printed>>(`/console/projects/${projectId}/events?afterSeq=${from}`);
  const names = (events: readonly Printed[]) =>
    events.map(({ eventId, eventName }) => `${eventId} ${eventName}`);
  t.same(names([...printed(first), ...printed(second)]), names(data));
  t.equal(second.lines.length, 1);
});

t.test('a Console member follows by access token, and says which project', async t => {
  const example = follow({ SKEIN_API_KEY: accessToken, SKEIN_PROJECT_ID: projectId });
  await example.said(/^following from /);
  await say('by token');
  await example.said(/"body":"by token"/);
  t.equal(example.lines.length, 1);
});

t.test('a cursor that nobody has given is answered by a reset, and it goes on from there', async t => {
  const CURSOR_FILE = join(
    t.testdir({ 'cursor.json': JSON.stringify({ epoch: 'another', seq: 1 }) }),
    'cursor.json',
  );
  const example = follow({ CURSOR_FILE });
  t.same(JSON.parse(await example.said(/reset/)), { reset: 'epoch' });
  await say('after the reset');
  await example.said(/"body":"after the reset"/);
  t.equal(example.lines.length, 2);
});

t.test('it ends where another attempt would be refused too', async t => {
  const foreign = 'prj_00000000000000000000000000';
  for (const more of [{ SKEIN_API_KEY: 'svc_test_wrong' }, { SKEIN_PROJECT_ID: foreign }]) {
    const example = follow(more);
    t.equal(await example.exited, 1);
    t.match(example.errors.join('\n'), /svc\/(auth\/invalid_api_key|console\/not_found)/);
  }
});
