/** What a caller without a token gets of the gRPC server: an answer to its metadata, and no room for messages. */
import { once } from 'node:events';
import { connect, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import t, { type Test } from 'tap';
import { withTimeLimit } from '../../support/time-limit.ts';
import { startGrpcNode, token } from './grpc-fixture.ts';

const node = await startGrpcNode(t);

function openSession(t: Test): ClientHttp2Session {
  const session = connect(`http://${node.address}`).on('error', () => undefined);
  t.teardown(() => session.destroy());
  return session;
}

/** Sends the head of a call. */
function call(session: ClientHttp2Session, path: string, bearer?: string): ClientHttp2Stream {
  return session
    .request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
    })
    .on('error', () => undefined);
}

async function getStatus(stream: ClientHttp2Stream): Promise<unknown> {
  const [headers] = (await withTimeLimit(once(stream, 'response'), 'an answer')) as [unknown];
  return (headers as Readonly<Record<string, unknown>>)['grpc-status'];
}

/** A message whose beginning says that it has so many bytes. */
function message(bytes: number): Buffer {
  const whole = Buffer.alloc(5 + bytes);
  whole.writeUInt32BE(bytes, 1);
  return whole;
}

const contract = '/skein.internal.v1.Conversations/';

t.test('a call without a token is refused before its message, and its stream is closed', async t => {
  const session = openSession(t);
  const reflection = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';
  for (const path of [`${contract}IngestMessage`, `${contract}IngestMessages`, reflection]) {
    const stream = call(session, path);
    const closed = once(stream, 'close');
    t.equal(await getStatus(stream), '16', path);
    stream.resume();
    await withTimeLimit(closed, 'the end of the stream');
  }
});

t.test('a message to the health service has at most 1 KiB', async t => {
  const stream = call(openSession(t), '/grpc.health.v1.Health/Check');
  stream.write(message(2_000).subarray(0, 10));
  t.equal(await getStatus(stream), '8');
});

t.test('connections of one address without a token are few, and one with a token does not count', async t => {
  const open = async () => {
    const socket = connectSocket(node.grpcPort ?? 0, '127.0.0.1').on('error', () => undefined);
    t.teardown(() => socket.destroy());
    await once(socket, 'connect');
    return socket;
  };
  for (let n = 0; n < 31; n++) await open();
  const service = call(openSession(t), `${contract}GetThread`, token);
  service.end(message(0));
  t.equal(await getStatus(service), '3', 'the call names no thread');
  const probe = call(openSession(t), '/grpc.health.v1.Health/Check');
  probe.end(message(0));
  t.equal(await getStatus(probe), undefined, 'an answer follows');
  const beyond = await open();
  beyond.resume();
  await withTimeLimit(once(beyond, 'close'), 'the end of the connection');
});
