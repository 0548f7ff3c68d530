/** TLS of the gRPC server. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { credentials, status as codes } from '@grpc/grpc-js';
import t from 'tap';
import type { GetThreadResponse__Output } from '../../../protocol/gen/skein/internal/v1/GetThreadResponse.ts';
import { authority, clientTest, receiverTest } from '../../support/certificates.ts';
import { answer, bearer, connect, failure, startGrpcNode } from './grpc-fixture.ts';

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
