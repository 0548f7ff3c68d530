/** Two whole nodes over NATS: who looks at what, one environment alone, and the sockets of one user. */
import t from 'tap';
import type { Profile } from '../../../protocol/resources/profile.ts';
import type { Thread } from '../../../protocol/resources/thread.ts';
import { Line } from '../../node/client.ts';
import { signUp } from '../../node/tenant.ts';
import { freshKey } from '../../support/accounts.ts';
import { startTestDatabase } from '../../support/database.ts';
import { NatsServer } from '../../support/nats-server.ts';
import { startSkeinOn } from '../../support/skein.ts';
import { Client, type Frame } from './stream-fixture.ts';

const { url } = await startTestDatabase(t);
const nats = await NatsServer.of(t);
const shared = { NATS_URL: nats.url, SECRET_KEYS: freshKey(), TOKEN_KEYS: freshKey() };
const [one, two] = await Promise.all([startSkeinOn(t, url, shared), startSkeinOn(t, url, shared)]);
const clients: Client[] = [];
t.teardown(() => clients.forEach(({ socket }) => socket.terminate()));

const line = new Line(one.url, t);
const tenant = await signUp(line);
const { projectId, environmentId, userId, person, key } = tenant;

function connect(node: typeof one, bearer: string | undefined): Client {
  const address = `${node.url.replace('http', 'ws')}/v1/console/projects/${projectId}/events/stream`;
  const client = new Client(address, { headers: { authorization: `Bearer ${bearer}` } });
  clients.push(client);
  return client;
}

const lastViewers = ({ frames }: Client): Frame['event'] =>
  frames.findLast(({ event }) => event?.eventName === 'thread.viewer.changed')?.event;

t.test('the other node shows who looks at a thread, by their profile', async t => {
  await person.get<Profile>('updateProfile', { body: { displayName: 'Ada', avatarColor: 'teal' } });
  const { threadId } = await key.get<Thread>('createThread', { body: { projectId, environmentId } });
  const outsider = await signUp(line);
  const { threadId: foreign } = await outsider.key.get<Thread>('createThread', {
    body: { projectId: outsider.projectId, environmentId: outsider.environmentId },
  });
  const [here, there] = [connect(one, person.bearer), connect(two, person.bearer)];
  await Promise.all([here.resume(), there.resume({ environmentId })]);
  here.send({ type: 'view', threadId });
  await there.until(client => lastViewers(client) !== undefined);
  t.match(lastViewers(there), {
    projectId,
    data: {
      environmentId,
      threadId,
      userIds: [userId],
      viewers: [{ userId, displayName: 'Ada', avatarColor: 'teal', since: /Z$/ }],
    },
  });
  here.send({ type: 'view', threadId: foreign });
  await there.until(client => JSON.stringify(lastViewers(client)?.data['userIds']) === '[]');
  t.equal(lastViewers(there)?.data['threadId'], threadId, 'a thread of another project is none');
  here.socket.close();
  there.socket.close();
  await Promise.all([here.end(), there.end()]);
});

t.test('an environment that is another project’s ends the stream', async t => {
  const outsider = await signUp(line);
  const client = await connect(two, person.bearer).opened();
  client.send({ type: 'resume', environmentId: outsider.environmentId });
  t.equal(await client.end(), 1007);
});

t.test('a user has ten sockets on both nodes together', async t => {
  const open = Array.from({ length: 10 }, (_, index) => connect(index % 2 === 0 ? one : two, person.bearer));
  await Promise.all(open.map(client => client.resume()));
  // What the other node has may arrive a moment after the upgrade: then the newest is closed again.
  const newest = await connect(one, person.bearer).opened();
  t.ok(newest.refused === 429 || (await newest.end()) === 1013);
  t.strictSame(
    open.filter(({ closed }) => closed !== undefined),
    [],
  );
});
