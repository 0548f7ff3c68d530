import t from 'tap';
import { NatsConnection } from '../../runtime/cluster/nats-connection.ts';
import { silentLog } from '../../runtime/log.ts';
import { Counters } from '../../runtime/metrics.ts';
import { systemClock } from '../../runtime/system-clock.ts';
import { NatsTransport } from '../../runtime/transport/nats.ts';
import { NatsServer } from '../support/nats-server.ts';
import { transportConformance } from './transport.conformance.ts';

t.test('what a transport promises', async t => {
  const server = await NatsServer.of(t, { jetStream: false });
  let clusters = 0;
  transportConformance(t, async () => {
    const cluster = `test${clusters++}`;
    const connections = await Promise.all(
      ['one', 'two'].map(name => NatsConnection.open({ urls: [server.url], name, log: silentLog })),
    );
    const [one, two] = connections.map(
      connection =>
        new NatsTransport({
          connection,
          cluster,
          clock: systemClock,
          log: silentLog,
          counters: new Counters(),
        }),
    ) as [NatsTransport, NatsTransport];
    const settle = async (): Promise<void> => {
      await Promise.all(connections.map(connection => connection.flush()));
    };
    return {
      ...{ one, two, settle },
      now: () => systemClock.now(),
      close: async () => {
        await Promise.all([one.drain(), two.drain()]);
        await Promise.all(connections.map(connection => connection.close()));
      },
    };
  });
});
