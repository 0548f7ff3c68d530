/** Reflection as tools use it: buf, and a client that links the descriptors itself. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { credentials, makeGenericClientConstructor } from '@grpc/grpc-js';
import { loadSync, type MessageTypeDefinition, type ServiceDefinition } from '@grpc/proto-loader';
import t from 'tap';
import { serviceName } from '../../../gateway/grpc/definition.ts';
import { shareSkein } from '../../support/skein.ts';
import { bearer, getAddress, inbound, token } from './grpc-fixture.ts';

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

type Fields = Readonly<Record<string, unknown>>;
interface DescribedFile {
  readonly name: string;
  readonly package: string;
  readonly dependency: readonly string[];
  readonly messageType: readonly {
    readonly name: string;
    readonly field: readonly { readonly name: string }[];
  }[];
}

const folder = createRequire(import.meta.url)
  .resolve('@grpc/reflection')
  .replace(/build.src[^]*$/, 'build/proto/grpc/reflection');
const readable = { enums: String, defaults: true, oneofs: true } as const;
const versions = ['v1', 'v1alpha'].map(
  version =>
    loadSync(`${folder}/${version}/reflection.proto`, readable)[
      `grpc.reflection.${version}.ServerReflection`
    ] as ServiceDefinition,
);
const descriptors = loadSync('google/protobuf/descriptor.proto', readable);
const fileType = descriptors['google.protobuf.FileDescriptorProto'] as MessageTypeDefinition<
  Fields,
  DescribedFile
>;

t.test('every file that a file depends on can be had by its name', async t => {
  for (const service of versions) {
    const info = service['ServerReflectionInfo'];
    if (info === undefined) throw new Error('no method ServerReflectionInfo');
    const client = new (makeGenericClientConstructor({}, ''))(address, credentials.createInsecure());
    t.teardown(() => client.close());
    const call = client.makeBidiStreamRequest(
      info.path,
      info.requestSerialize,
      bytes => info.responseDeserialize(bytes) as Fields,
      bearer(),
      {},
    );
    const ask = async (request: Fields): Promise<DescribedFile[]> => {
      call.write(request);
      const [answer] = (await once(call, 'data')) as [
        { fileDescriptorResponse?: { fileDescriptorProto: Buffer[] } },
      ];
      const files = answer.fileDescriptorResponse?.fileDescriptorProto ?? [];
      return files.map(file => fileType.deserialize(Buffer.from(file)));
    };
    const known = new Map<string, DescribedFile>();
    const learn = (files: readonly DescribedFile[]): void =>
      files.forEach(file => known.set(file.name, file));
    learn(await ask({ fileContainingSymbol: serviceName }));
    for (const { dependency } of known.values()) {
      for (const name of dependency) if (!known.has(name)) learn(await ask({ fileByFilename: name }));
    }
    t.same(
      [...known.keys()].sort(),
      [
        'google/protobuf/any.proto',
        'google/protobuf/duration.proto',
        'google/protobuf/timestamp.proto',
        'google/rpc/error_details.proto',
        'google/rpc/status.proto',
        'internal.proto',
      ],
      'by the names under which others import them',
    );
    const [request] =
      known.get('internal.proto')?.messageType.filter(({ name }) => name === 'SendMessageRequest') ?? [];
    const names = [
      'project_id',
      'environment_id',
      'thread_id',
      'idempotency_key',
      'body',
      'attachments',
      'metadata_json',
      'content_json',
      'reply_to_message_id',
    ];
    t.same(
      request?.field.map(({ name }) => name),
      names,
      'fields have the names of the contract',
    );
    call.end();
  }
});
