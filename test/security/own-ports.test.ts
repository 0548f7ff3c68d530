/** Tools and stitches reach no port of the node itself, and nothing that hands out a cloud's credentials, however far the guard is opened. */
import t from 'tap';
import { readConfig } from '../../gateway/config/config.ts';
import { Line, type Refusal } from '../node/client.ts';
import { signUp } from '../node/tenant.ts';
import { startTestDatabase } from '../support/database.ts';
import { NodeProcess } from '../support/node-process.ts';
import { Receiver } from '../support/receiver.ts';

t.test('loopback is open only where nobody else reaches the node', t => {
  t.equal(readConfig({}).outboundReach, 'loopback');
  t.equal(readConfig({ HOST: '::1' }).outboundReach, 'loopback');
  for (const HOST of ['0.0.0.0', '::', '192.0.2.1', 'node.example']) {
    t.equal(readConfig({ HOST, INSECURE: 'true' }).outboundReach, 'public', HOST);
  }
  t.end();
});

t.test('with private addresses allowed', async t => {
  const { url } = await startTestDatabase(t);
  const node = await NodeProcess.make(t, { DATABASE_URL: url, ALLOW_PRIVATE_ADDRESSES: 'true' });
  await node.start();
  const { key, projectId } = await signUp(new Line(node.url, t));
  const receiver = await Receiver.start();
  t.teardown(() => receiver.stop());

  /** What a call of a tool at the address gives. */
  const call = async (address: string): Promise<string> => {
    const body = { projectId, name: 'a tool', url: address };
    const { toolId } = await key.get<{ toolId: string }>('createTool', { body });
    const { text } = await key.ask('testTool', { params: { toolId }, body: { projectId } });
    return text;
  };
  t.match(await call(receiver.url()), '"status":"succeeded"', 'another server of this machine');
  for (const host of ['127.0.0.1', 'localhost', '0.0.0.0', '[::1]', '[::ffff:127.0.0.1]']) {
    const text = await call(`http://${host}:${node.port}/metrics`);
    t.match(text, 'not public', host);
    t.notMatch(text, 'skein_', host);
  }
  for (const address of [
    'http://169.254.169.254/latest/meta-data/',
    'http://[fd00:ec2::254]/latest/meta-data/',
    'http://168.63.129.16/metadata/instance',
    'http://127.0.0.1:5432/',
    'http://mail.example:25/',
  ]) {
    const { status, body } = await key.ask<Refusal>('createTool', {
      body: { projectId, name: 'a tool', url: address },
    });
    t.match({ status, error: body.error }, { status: 422, error: 'svc/validation/invalid_request' }, address);
    const stitch = { projectId, name: 'a stitch', webhookUrl: address };
    t.equal((await key.ask('createStitch', { body: stitch })).status, 422, address);
  }
});
