/** A key that is revoked while a request with it is on its way. */
import t from 'tap';
import type { RotatedApiKey } from '../../../protocol/resources/api-key.ts';
import { newKey } from '../../node/tenant.ts';
import { RawClient } from '../http/http-fixture.ts';
import { shareSkein } from '../../support/skein.ts';

const skein = await shareSkein(t);
const port = Number(new URL(skein.url).port);

async function getChannels(projectId: string): Promise<number> {
  return (await skein.database.query('select 1 from channels where project_id = $1', [projectId])).length;
}

t.test('what is whole only after the revocation is refused, and has done nothing', async t => {
  const { person, projectId, environmentId } = await skein.tenant();
  for (const end of ['revoke', 'rotate'] as const) {
    const { apiKeyId, key, secret } = await newKey(person, projectId);
    // The key is known to the node by now.
    await key.get('listChannels', { query: { projectId } });
    const before = await getChannels(projectId);
    const body = JSON.stringify({ projectId, environmentId, name: 'Late', kind: 'custom' });
    const client = new RawClient(port, t);
    const head = [
      'POST /v1/channels HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${secret}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ];
    client.send(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 10)}`);
    const params = { apiKeyId };
    if (end === 'revoke') await person.get('revokeApiKey', { params });
    else await person.get<RotatedApiKey>('rotateApiKey', { params, body: { gracePeriodSeconds: 0 } });
    client.send(body.slice(10));
    const [answer] = await client.answers(1);
    t.equal(answer?.status, 401, end);
    t.match(answer?.body ?? '', /svc\/auth\/invalid_api_key/);
    t.equal(await getChannels(projectId), before);
  }
});

t.test('a request that was let in is finished', async t => {
  const { person, projectId, environmentId } = await skein.tenant();
  const { apiKeyId, key } = await newKey(person, projectId);
  const body = { projectId, environmentId, name: 'In time', kind: 'custom' };
  await key.get('listChannels', { query: { projectId } });
  const asked = Promise.all(
    Array.from({ length: 20 }, () => key.ask<{ error?: string }>('createChannel', { body })),
  );
  await person.get('revokeApiKey', { params: { apiKeyId } });
  const replies = await asked;
  const made = replies.filter(reply => reply.status === 201).length;
  for (const reply of replies) {
    if (reply.status !== 201) t.match([reply.status, reply.body.error], [401, 'svc/auth/invalid_api_key']);
  }
  t.equal(await getChannels(projectId), made + 1, 'each was done, or refused, and none of them half');
  t.equal((await key.ask('createChannel', { body })).status, 401);
});
