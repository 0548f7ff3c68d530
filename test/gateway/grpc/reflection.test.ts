/** Reflection as other programs use it: a client that knows nothing of the contract learns it from the node, links it, and makes calls by it. */
import { once } from 'node:events';
import { createRequire } from 'node:module';
import {
  createFileRegistry,
  type FileRegistry,
  fromBinary,
  fromJson,
  type JsonObject,
  type JsonValue,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import { type FileDescriptorProto, FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { Client, credentials, Metadata, type ServiceError, status as codes } from '@grpc/grpc-js';
import { loadSync, type MethodDefinition, type ServiceDefinition } from '@grpc/proto-loader';
import t, { type Test } from 'tap';
import { serviceName } from '../../../gateway/grpc/definition.ts';
import { shareSkein } from '../../support/skein.ts';
import { bearer, failure, getAddress, inbound } from './grpc-fixture.ts';

const skein = await shareSkein(t);
const address = getAddress(skein);

const folder = createRequire(import.meta.url)
  .resolve('@grpc/reflection')
  .replace(/build.src[^]*$/, 'build/proto/grpc/reflection');
const versions = ['v1', 'v1alpha'] as const;

interface ReflectionAnswer {
  readonly fileDescriptorResponse?: { readonly fileDescriptorProto: readonly Buffer[] };
  readonly listServicesResponse?: { readonly service: readonly { readonly name: string }[] };
}

/** Opens a reflection stream. Resolves each request with its answer. */
function openReflection(t: Test, version: (typeof versions)[number], metadata: Metadata) {
  const { [`grpc.reflection.${version}.ServerReflection`]: service } = loadSync(
    `${folder}/${version}/reflection.proto`,
    { defaults: false },
  );
  const info = (service as ServiceDefinition)['ServerReflectionInfo'] as MethodDefinition<
    object,
    ReflectionAnswer
  >;
  const client = new Client(address, credentials.createInsecure());
  t.teardown(() => client.close());
  const { path, requestSerialize, responseDeserialize } = info;
  const call = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, metadata);
  t.teardown(() => call.end());
  return async (request: object): Promise<ReflectionAnswer> => {
    call.write(request);
    const [answer] = (await once(call, 'data')) as [ReflectionAnswer];
    return answer;
  };
}

/** Learns the file of the service, then each file that another one names as its dependency. */
async function learnFiles(
  ask: (request: object) => Promise<ReflectionAnswer>,
): Promise<ReadonlyMap<string, FileDescriptorProto>> {
  const known = new Map<string, FileDescriptorProto>();
  const learn = async (request: object): Promise<void> => {
    const { fileDescriptorResponse } = await ask(request);
    for (const bytes of fileDescriptorResponse?.fileDescriptorProto ?? []) {
      const file = fromBinary(FileDescriptorProtoSchema, bytes);
      known.set(file.name, file);
    }
  };
  await learn({ fileContainingSymbol: serviceName });
  for (const { dependency } of known.values()) {
    for (const fileByFilename of dependency) if (!known.has(fileByFilename)) await learn({ fileByFilename });
  }
  return known;
}

/** Links the files. Throws when a name in them leads nowhere. */
function link(files: ReadonlyMap<string, FileDescriptorProto>): FileRegistry {
  const contract = files.get('internal.proto');
  if (contract === undefined) throw new Error('the service is in no file internal.proto');
  return createFileRegistry(contract, name => files.get(name));
}

for (const version of versions) {
  t.test(`${version}: the services, and every file that a file depends on, by its own name`, async t => {
    const ask = openReflection(t, version, bearer());
    const { listServicesResponse } = await ask({ listServices: '*' });
    t.same(
      listServicesResponse?.service.map(({ name }) => name),
      [serviceName],
    );
    const files = await learnFiles(ask);
    t.same(
      [...files.keys()].sort(),
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
    const registry = link(files);
    const { methods = [] } = registry.getService(serviceName) ?? {};
    t.same(
      methods.map(({ name, methodKind }) => [name, methodKind]),
      [
        ['IngestMessage', 'unary'],
        ['IngestMessages', 'bidi_streaming'],
        ['SendMessage', 'unary'],
        ['GetThread', 'unary'],
        ['SubscribeEvents', 'server_streaming'],
        ['WatchShards', 'server_streaming'],
      ],
    );
    const describe = (name: string): unknown =>
      registry
        .getMessage(name)
        ?.fields.map(field => [
          field.name,
          field.number,
          field.fieldKind,
          field.presence,
          field.oneof?.name ?? null,
        ]);
    // Proto3 presence: 1 explicit (optional fields, messages and oneofs), 2 implicit.
    t.same(describe('skein.internal.v1.IngestMessagesResponse'), [
      ['correlation_id', 1, 'scalar', 2, null],
      ['accepted', 2, 'message', 1, 'result'],
      ['error', 3, 'message', 1, 'result'],
      ['owner', 4, 'scalar', 2, null],
    ]);
    t.same(describe('google.rpc.ErrorInfo'), [
      ['reason', 1, 'scalar', 2, null],
      ['domain', 2, 'scalar', 2, null],
      ['metadata', 3, 'map', 2, null],
    ]);
    const size = registry
      .getMessage('skein.internal.v1.Attachment')
      ?.fields.find(({ name }) => name === 'size_bytes');
    t.match(size, { presence: 1, oneof: undefined, proto: { proto3Optional: true } });
  });
}

t.test('a client that has learnt the contract makes a call by the names in it', async t => {
  const registry = link(await learnFiles(openReflection(t, 'v1', bearer())));
  const method = registry.getService(serviceName)?.method['ingestMessage'];
  if (method === undefined) throw new Error('no method IngestMessage');
  const client = new Client(address, credentials.createInsecure());
  t.teardown(() => client.close());
  const call = (request: JsonObject): Promise<JsonValue> =>
    new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        `/${serviceName}/${method.name}`,
        (json: JsonObject) => Buffer.from(toBinary(method.input, fromJson(method.input, json))),
        bytes => toJson(method.output, fromBinary(method.output, bytes)),
        request,
        bearer(),
        (error: ServiceError | null, value?: JsonValue) =>
          error === null ? resolve(value ?? null) : reject(error),
      );
    });
  const tenant = await skein.tenant();
  const { idempotencyKey, externalParticipantRef, projectId, environmentId, channelId } = inbound(
    tenant,
    'reflected',
  );
  const request = {
    project_id: projectId ?? '',
    environment_id: environmentId ?? '',
    channel_id: channelId ?? '',
    idempotency_key: idempotencyKey ?? '',
    external_participant_ref: externalParticipantRef ?? '',
    body: 'by reflection',
    attachments: [{ kind: 'ATTACHMENT_KIND_IMAGE', url: 'https://media.example/a.png', size_bytes: 17 }],
  };
  t.match(await call(request), {
    message: {
      body: 'by reflection',
      direction: 'DIRECTION_INBOUND',
      createdAt: /^20/,
      attachments: [{ kind: 'ATTACHMENT_KIND_IMAGE', sizeBytes: '17' }],
    },
  });
  const refused = await failure(call({ ...request, body: '' }));
  t.equal(refused.code, codes.INVALID_ARGUMENT);
});

t.test('without a token, reflection answers nothing', async t => {
  const ask = openReflection(t, 'v1', new Metadata());
  await t.rejects(ask({ listServices: '*' }), { code: codes.UNAUTHENTICATED });
});
