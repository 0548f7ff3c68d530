/** The gRPC server: its health, also when the node stops, and a node that no service may call. */
import { once } from 'node:events';
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
import { eventually } from '../../support/eventually.ts';
import { answer, connect, failure, getFailure, startGrpcNode } from './grpc-fixture.ts';

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

t.test('a node without service tokens does not listen for gRPC', async t => {
  t.equal((await startGrpcNode(t, { SERVICE_TOKENS: '' })).grpcPort, undefined);
});

t.test('a node tells its health to all, and refuses calls without a token', async t => {
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
  const refused = answer(
    (metadata, options, done) => connect(t, node.address).getThread({}, metadata, options, done),
    new Metadata(),
  );
  const reason = 'svc/auth/missing_credentials';
  t.match(await failure(refused), { code: codes.UNAUTHENTICATED, info: { reason } });
  const { port } = new URL(node.url);
  await t.rejects(startGrpcNode(t, { GRPC_PORT: port }), {
    message: new RegExp(`GRPC_PORT: cannot listen on 127.0.0.1:${port}: the port is taken`),
  });

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
