/** Production is closed to whoever has not verified their e-mail: held for every operation that reaches it, by the table. */
import t from 'tap';
import type { Resource } from '../../protocol/ids.ts';
import type { Operation } from '../../protocol/operation.ts';
import { operations, type OperationId } from '../../protocol/operations/table.ts';
import type { Environment } from '../../protocol/resources/project.ts';
import { startTestDatabase } from '../support/database.ts';
import { NodeProcess } from '../support/node-process.ts';
import { Receiver } from '../support/receiver.ts';
import { Line } from './client.ts';
import { eventually } from '../support/eventually.ts';
import { createFixtures, requestWith } from './fixtures.ts';
import { fields } from './sample.ts';
import { newKey, signUp, verifyEmail } from './tenant.ts';

const { url, database } = await startTestDatabase(t);
const node = await NodeProcess.make(t, { DATABASE_URL: url, ALLOW_PRIVATE_ADDRESSES: 'true' });
await node.start();
const line = new Line(node.url, t);
const receiver = await Receiver.start();
t.teardown(() => receiver.stop());

/** What lies in an environment, and is found there by its id alone. */
const inEnvironment = new Set<Resource>([
  'environment',
  'channel',
  'thread',
  'stitch',
  'delivery',
  'event',
  'message',
  'note',
  'attachment',
]);

t.test('production is closed until the e-mail is verified', async t => {
  const tenant = await signUp(line);
  const { person, projectId, userId } = tenant;
  await verifyEmail(node, line, tenant.email);
  const { environmentId } = await person.get<Environment>('createEnvironment', {
    body: { projectId, name: 'production' },
  });
  const { key } = await newKey(person, projectId, 'live');
  const production = await createFixtures(
    tenant,
    key,
    environmentId,
    receiver.url().replace('http:', 'https:'),
  );

  await database.query('update users set email_verified_at = null where user_id = $1', [userId]);
  // A session is known by heart for a moment.
  await eventually('refusal', async () => {
    const { status } = await person.ask('listChannels', { query: { projectId, environmentId } });
    return status === 403;
  });
  let asked = 0;
  for (const [id, operation] of Object.entries(operations) as [OperationId, Operation][]) {
    if (operation.auth !== 'project') continue;
    for (const field of fields(operation)) {
      const { resource } = field;
      if (resource === undefined || !inEnvironment.has(resource)) continue;
      const isFilter = field.part !== 'params' && resource !== 'environment';
      const value = production[resource];
      if (isFilter || value === undefined) continue;
      const { status, text } = await person.ask(id, requestWith(id, production, field, value));
      if (status !== 403 || !text.includes('svc/auth/email_not_verified')) {
        t.fail(`${id}: ${field.part} ${field.name} answered ${text}`);
      }
      asked++;
    }
  }
  t.ok(asked > 25, `${asked} times`);
  const sandbox = await person.ask('listChannels', { query: { projectId } });
  t.equal(sandbox.status, 200, 'the sandbox is not');

  await database.query('update users set email_verified_at = now() where user_id = $1', [userId]);
  await eventually('admission', async () => {
    const { status } = await person.ask('listChannels', { query: { projectId, environmentId } });
    return status === 200;
  });
});
