/** What happens on the way to a server: nobody there, somebody else there, and a certificate that nobody trusts. */
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer } from 'node:net';
import t, { type Test } from 'tap';
import { ConnectionError, Skein, ValidationError } from '../../../clients/sdk/index.ts';
import { pickPort } from '../../support/free-port.ts';
import { receiverTest } from '../../support/certificates.ts';
import { rejection } from './scripted-fetch.ts';
import { shareSdkAccount } from './sdk-account.ts';

async function listen(t: Test, server: Server | TcpServer): Promise<string> {
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const at = (baseUrl: string, timeoutMs = 30_000): Skein =>
  new Skein({ apiKey: 'svc_test_1', baseUrl, projectId: 'prj_1', maxRetries: 0, timeoutMs });

t.test('no server', async t => {
  const port = await pickPort();
  const error = await rejection(at(`http://127.0.0.1:${port}`).threads.list());
  t.ok(error instanceof ConnectionError);
  t.match(error, { code: 'ECONNREFUSED', message: `no answer from http://127.0.0.1:${port}: ECONNREFUSED` });
});

t.test('no such name', async t => {
  const error = await rejection(at('http://nowhere.invalid').threads.list());
  t.ok(error instanceof ConnectionError);
  t.match(error, { code: /ENOTFOUND|EAI_AGAIN/, message: /nowhere\.invalid/ });
});

t.test('the wrong port: something that speaks no HTTP', async t => {
  const address = await listen(
    t,
    createTcpServer(socket => socket.on('error', () => undefined).end('SSH-2.0-OpenSSH_9.2\r\n')),
  );
  t.ok((await rejection(at(`http://${address}`).threads.list())) instanceof ConnectionError);
});

t.test('a redirect is not followed, since it would carry the key away', async t => {
  const visits: string[] = [];
  const elsewhere = createServer((request, response) => {
    visits.push(String(request.headers.authorization));
    response.end('{}');
  });
  const location = `http://${await listen(t, elsewhere)}/v1/threads`;
  const server = createServer((_, response) => response.writeHead(302, { location }).end());
  const error = await rejection(at(`http://${await listen(t, server)}`).threads.list());
  t.match(error, { code: 'http/302', message: `redirected to ${location}` });
  t.strictSame(visits, []);
});

t.test('a certificate that nobody trusts', async t => {
  const { cert, key } = receiverTest;
  const address = await listen(
    t,
    createTlsServer({ cert, key }, (_, response) => response.end('{}')),
  );
  const error = await rejection(at(`https://${address}`).threads.list());
  t.ok(error instanceof ConnectionError);
  t.match(error, { code: /CERT|SIGNATURE|ISSUER/, message: /no answer from https:/ });
});

t.test('431 of the server beneath, and ids of another environment', async t => {
  const account = await shareSdkAccount(t);
  const large = { headers: { 'x-large': 'a'.repeat(6_000) } };
  const error = await rejection(account.skein.threads.list({}, large));
  t.ok(error instanceof ValidationError, String(error));
  t.match(error, { status: 431, code: 'http/431' });
  const foreign = new Skein({
    apiKey: account.apiKey,
    baseUrl: account.baseUrl,
    environmentId: 'env_01k9qz3s4bfm5s0m2f7v8q1x3c',
  });
  t.match(await rejection(foreign.threads.list()), { status: 404, code: 'svc/runtime/not_found' });
});
