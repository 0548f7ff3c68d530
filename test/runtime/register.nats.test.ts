import t from 'tap';
import { NatsConnection } from '../../runtime/cluster/nats-connection.ts';
import { NatsRegister } from '../../runtime/cluster/nats-register.ts';
import { silentLog } from '../../runtime/log.ts';
import { NatsServer } from '../support/nats-server.ts';
import { registerConformance } from './register.conformance.ts';

t.test('what a register promises', async t => {
  const server = await NatsServer.of(t);
  let clusters = 0;
  registerConformance(t, async () => {
    const cluster = `test${clusters++}`;
    const open = async (name: string): Promise<[NatsConnection, NatsRegister]> => {
      const connection = await NatsConnection.open({ urls: [server.url], name, log: silentLog });
      return [connection, await NatsRegister.open({ connection, cluster, log: silentLog })];
    };
    const [[first, one], [second, two]] = await Promise.all([open('one'), open('two')]);
    const close = async (): Promise<void> => {
      one.close();
      two.close();
      await Promise.all([first.close(), second.close()]);
    };
    return { one, two, close };
  });
});
