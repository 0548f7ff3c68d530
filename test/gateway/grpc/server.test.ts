/** The gRPC server: health, TLS, and the end of a node. */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  credentials,
  makeGenericClientConstructor,
  Metadata,
  status as codes,
  type ClientReadableStream,
  type ServiceError,
} from '@grpc/grpc-js';
import { loadSync, type MethodDefinition, type ServiceDefinition } from '@grpc/proto-loader';
import { protoPath } from 'grpc-health-check';
import t, { type Test } from 'tap';
import { serviceName } from '../../../gateway/grpc/definition.ts';
import type { GetThreadResponse__Output } from '../../../protocol/gen/skein/internal/v1/GetThreadResponse.ts';
import { eventually } from '../../support/eventually.ts';
import { authority, clientTest, receiverTest } from '../../support/certificates.ts';
import { answer, bearer, connect, failure, getFailure, startGrpcNode } from './grpc-fixture.ts';

const readable = { enums: String, defaults: true, oneofs: true } as const;
const health = loadSync(protoPath, readable)['grpc.health.v1.Health'] as ServiceDefinition;
type Fields = Readonly<Record<string, unknown>>;

/** A client of a service by its methods alone. */
function generic(
  t: Test,
  node: { readonly address: string },
): InstanceType<ReturnType<typeof makeGenericClientConstructor>> {
  const client = new (makeGenericClientConstructor({}, ''))(node.address, credentials.createInsecure());
  t.teardown(() => client.close());
  return client;
}

function getMethod(service: ServiceDefinition, name: string): MethodDefinition<object, object> {
  const method = service[name];
  if (method === undefined) throw new Error(`no method ${name}`);
  return method;
}

t.test('health', async t => {
  const node = await startGrpcNode(t);
  const client = generic(t, node);
  const check = getMethod(health, 'Check');
  const ask = (service: string): Promise<Fields> =>
    answer<Fields>(
      (metadata, options, done) =>
        client.makeUnaryRequest(
          check.path,
          check.requestSerialize,
          bytes => check.responseDeserialize(bytes) as Fields,
          { service },
          metadata,
          options,
          done,
        ),
      new Metadata(),
    );

  for (const service of ['', serviceName]) t.match(await ask(service), { status: 'SERVING' }, service);
  t.match(await failure(ask('something.else')), { code: codes.NOT_FOUND });

  const watch = getMethod(health, 'Watch');
  const watching: ClientReadableStream<Fields> = client.makeServerStreamRequest(
    watch.path,
    watch.requestSerialize,
    bytes => watch.responseDeserialize(bytes) as Fields,
    { service: serviceName },
  );
  const seen: unknown[] = [];
  watching.on('data', ({ status }: Fields) => seen.push(status));
  const ended = once(watching, 'error');
  await eventually('first state', async () => seen.length > 0);
  await node.stop();
  t.match(getFailure((await ended)[0] as ServiceError), { code: codes.UNAVAILABLE });
  t.same(seen, ['SERVING', 'NOT_SERVING'], 'the drain is told before the end');
});

t.test('TLS', async t => {
  const folder = t.testdir({});
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  const tls = {
    GRPC_TLS_CERT: await file('cert.pem', receiverTest.cert),
    GRPC_TLS_KEY: await file('key.pem', receiverTest.key),
  };
  const named = { 'grpc.ssl_target_name_override': 'receiver.test' };
  const ca = Buffer.from(authority);
  const withCertificate = credentials.createSsl(
    ca,
    Buffer.from(clientTest.key),
    Buffer.from(clientTest.cert),
  );
  const ask = (client: ReturnType<typeof connect>, withinMs = 600_000) =>
    failure(
      answer<GetThreadResponse__Output>(
        (metadata, options, done) => client.getThread({}, metadata, options, done),
        bearer(),
        { deadline: Date.now() + withinMs },
      ),
    );
  /** That the request was read. */
  const understood = { code: codes.INVALID_ARGUMENT };

  t.test('of the server', async t => {
    const node = await startGrpcNode(t, tls);
    t.match(await ask(connect(t, node.address, credentials.createSsl(ca), named)), understood);
    for (const channel of [credentials.createInsecure(), credentials.createSsl()]) {
      const { code } = await ask(connect(t, node.address, channel, named), 2_000);
      t.ok(code === codes.UNAVAILABLE || code === codes.DEADLINE_EXCEEDED, `${code}`);
    }
  });

  t.test('of both', async t => {
    const node = await startGrpcNode(t, { ...tls, GRPC_TLS_CA: await file('ca.pem', clientTest.cert) });
    t.match(await ask(connect(t, node.address, withCertificate, named)), understood);
    t.match(await ask(connect(t, node.address, credentials.createSsl(ca), named)), {
      code: codes.UNAVAILABLE,
    });
  });

  t.test('an invalid certificate stops the start, and is named', async t => {
    const none = join(folder, 'none.pem');
    await t.rejects(startGrpcNode(t, { ...tls, GRPC_TLS_KEY: none }), {
      message: `the file that GRPC_TLS_KEY names cannot be read: ${none}`,
    });
    await t.rejects(startGrpcNode(t, { ...tls, GRPC_TLS_CERT: await file('bad.pem', 'rubbish') }), {
      message: 'GRPC_TLS_CERT and GRPC_TLS_KEY are not a certificate and its key',
    });
  });
});
