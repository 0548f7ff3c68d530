/** Tools and stitches reach neither a port of the node nor a service with a cloud's credentials, even with ALLOW_PRIVATE_ADDRESSES. */
import t from 'tap';
import { readConfig } from '../../gateway/config/config.ts';
import type { Refusal } from '../node/client.ts';
import { Receiver } from '../support/receiver.ts';
import { shareSkein } from '../support/skein.ts';

t.test('only a node on a loopback address may call loopback addresses', t => {
  t.equal(readConfig({}).outboundReach, 'loopback');
  t.equal(readConfig({ HOST: '::1' }).outboundReach, 'loopback');
  for (const HOST of ['0.0.0.0', '::', '192.0.2.1', 'node.example']) {
    t.equal(readConfig({ HOST, INSECURE: 'true' }).outboundReach, 'public', HOST);
  }
  t.end();
});

t.test('with private addresses allowed', async t => {
  const skein = await shareSkein(t);
  const { key, projectId } = await skein.tenant();
  const receiver = await Receiver.start();
  t.teardown(() => receiver.stop());

  /** Calls a tool at the address. Returns the answer. */
  const call = async (address: string): Promise<string> => {
    const body = { projectId, name: 'a tool', url: address };
    const { toolId } = await key.get<{ toolId: string }>('createTool', { body });
    const { text } = await key.ask('testTool', { params: { toolId }, body: { projectId } });
    return text;
  };
  t.match(await call(receiver.url()), '"status":"succeeded"', 'another server of this machine');
  for (const host of ['127.0.0.1', 'localhost', '0.0.0.0', '[::1]', '[::ffff:127.0.0.1]']) {
    const text = await call(`http://${host}:${new URL(skein.url).port}/metrics`);
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
