/** Reflection as tools use it. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { serviceName } from '../../../gateway/grpc/definition.ts';
import { shareSkein } from '../../support/skein.ts';
import { getAddress, inbound, token } from './grpc-fixture.ts';

const buf = fileURLToPath(new URL('../../../node_modules/.bin/buf', import.meta.url));
const skein = await shareSkein(t);
const address = getAddress(skein);

function curl(...args: string[]): Promise<{ readonly stdout: string }> {
  return promisify(execFile)(buf, ['curl', '--protocol', 'grpc', '--http2-prior-knowledge', ...args]);
}

const withToken = ['-H', `authorization: Bearer ${token}`, '--reflect-header', '*'];

t.test('buf lists the methods', async t => {
  const { stdout } = await curl(...withToken, '--list-methods', `http://${address}`);
  const methods = [
    'GetThread',
    'IngestMessage',
    'IngestMessages',
    'SendMessage',
    'SubscribeEvents',
    'WatchShards',
  ];
  t.same(
    stdout.trim().split('\n').sort(),
    methods.map(method => `${serviceName}/${method}`),
  );
});

t.test('buf makes a call, with the names of the contract', async t => {
  const tenant = await skein.tenant();
  const { idempotencyKey, externalParticipantRef, projectId, environmentId, channelId } = inbound(
    tenant,
    'buf',
  );
  const request = {
    project_id: projectId,
    environment_id: environmentId,
    channel_id: channelId,
    idempotency_key: idempotencyKey,
    external_participant_ref: externalParticipantRef,
    body: 'by buf',
    attachments: [{ kind: 'ATTACHMENT_KIND_IMAGE', url: 'https://media.example/a.png', size_bytes: 17 }],
  };
  const call = [...withToken, '-d', JSON.stringify(request), `http://${address}/${serviceName}`];
  const url = call.pop();
  const { stdout } = await curl(...call, `${url}/IngestMessage`);
  t.match(JSON.parse(stdout), {
    message: {
      body: 'by buf',
      direction: 'DIRECTION_INBOUND',
      createdAt: /^20/,
      attachments: [{ kind: 'ATTACHMENT_KIND_IMAGE', sizeBytes: '17' }],
    },
  });
  const wrong = JSON.stringify({ ...request, body: '' });
  const refused = curl(...withToken, '-d', wrong, `${url}/IngestMessage`);
  await t.rejects(refused, { message: /invalid_argument[^]*google.rpc.ErrorInfo/ });
});

t.test('without a token there is nothing to be learnt', async t => {
  await t.rejects(curl('--list-methods', `http://${address}`), { message: /not authenticated/ });
});
