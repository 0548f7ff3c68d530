import t from 'tap';
import { silentLog } from '../../../runtime/observability/log.ts';
import { systemClock } from '../../../runtime/time/clock.ts';
import { LocalBus, LocalTransport } from '../../../runtime/transport/local.ts';
import { decodeAnswer } from '../../../runtime/transport/wire.ts';
import { transportConformance } from './transport.conformance.ts';

t.test('the conformance suite', async t => {
  transportConformance(t, async () => {
    const bus = new LocalBus();
    const [one, two] = [1, 2].map(() => new LocalTransport({ clock: systemClock, log: silentLog, bus })) as [
      LocalTransport,
      LocalTransport,
    ];
    // The system clock's timers do not keep the process alive, and there is no socket here that does.
    const alive = setInterval(() => undefined, 1_000);
    return {
      one,
      two,
      now: () => systemClock.monotonic(),
      settle: () => Promise.resolve(),
      close: async () => {
        clearInterval(alive);
        await Promise.all([one.drain(), two.drain()]);
      },
    };
  });
});

t.test('an error code of a newer node is an internal error here', async t => {
  const text = JSON.stringify({ error: { code: 'svc/future/unknown', message: 'New.', http: 418 } });
  t.throws(() => decodeAnswer(text), { code: 'svc/runtime/internal_error' });
});

t.test('transports without a bus in common do not hear each other', async t => {
  const [one, two] = [1, 2].map(() => new LocalTransport({ clock: systemClock, log: silentLog }));
  await one?.serve(7, async () => 'one');
  const envelope = {
    kind: 'k',
    id: 'i',
    command: 'c',
    payload: {},
    deadline: systemClock.monotonic() + 600_000,
  };
  t.equal(await one?.ask(7, envelope), 'one');
  await t.rejects(two?.ask(7, envelope) ?? Promise.resolve());
  await one?.drain();
});
