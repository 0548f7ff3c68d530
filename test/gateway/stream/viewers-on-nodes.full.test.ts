/** Two whole nodes over NATS: who looks at what, one environment alone, and the sockets of one user. */
import t from 'tap';
import type { Profile } from '../../../protocol/resources/profile.ts';
import type { Thread } from '../../../protocol/resources/thread.ts';
import { freshKey } from '../../support/accounts.ts';
import { startTestDatabase } from '../../support/database.ts';
import { NatsServer } from '../../support/nats-server.ts';
import { startSkeinOn } from '../../support/skein.ts';
import { openStream, type Client, type Frame } from './stream-fixture.ts';

const { url } = await startTestDatabase(t);
const nats = await NatsServer.of(t);
const shared = { NATS_URL: nats.url, SECRET_KEYS: freshKey(), TOKEN_KEYS: freshKey() };
const [one, two] = await Promise.all([startSkeinOn(t, url, shared), startSkeinOn(t, url, shared)]);
const { projectId, environmentId, userId, person, key } = await one.tenant();
const connect = (node: typeof one) => openStream(t, node, projectId, person);

const lastViewers = ({ frames }: Client): Frame['event'] =>
  frames.findLast(({ event }) => event?.eventName === 'thread.viewer.changed')?.event;

t.test('the other node shows who looks at a thread, by their profile', async t => {
  await person.get<Profile>('updateProfile', { body: { displayName: 'Ada', avatarColor: 'teal' } });
  const { threadId } = await key.get<Thread>('createThread', { body: { projectId, environmentId } });
  const outsider = await one.tenant();
  const { threadId: foreign } = await outsider.key.get<Thread>('createThread', {
    body: { projectId: outsider.projectId, environmentId: outsider.environmentId },
  });
  const [here, there] = [connect(one), connect(two)];
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

t.test('a user has ten sockets on both nodes together', async t => {
  const open = Array.from({ length: 10 }, (_, index) => connect(index % 2 === 0 ? one : two));
  await Promise.all(open.map(client => client.resume()));
  // What the other node has may arrive a moment after the upgrade: then the newest is closed again.
  const newest = await connect(one).opened();
  t.ok(newest.refused === 429 || (await newest.end()) === 1013);
  t.strictSame(
    open.filter(({ closed }) => closed !== undefined),
    [],
  );
});
