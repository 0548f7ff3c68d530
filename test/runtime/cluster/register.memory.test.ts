import t from 'tap';
import { RegisterUnavailable, type Change } from '../../../runtime/cluster/register.ts';
import { MemoryRegister, RegisterBus } from '../../support/memory-register.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { registerConformance } from './register.conformance.ts';

t.test('the conformance suite', async t => {
  registerConformance(t, () => {
    const bus = new RegisterBus();
    const [one, two] = [new MemoryRegister({ bus }), new MemoryRegister({ bus })];
    return Promise.resolve({ one, two, close: () => Promise.resolve() });
  });
});

t.test('takes the time that it is told, and keeps the order whatever that is', async t => {
  const [bus, clock] = [new RegisterBus(), new VirtualClock()];
  const latencies = [10, 1];
  const one = new MemoryRegister({ bus, clock, latencyMs: () => latencies.shift() ?? 5 });
  const two = new MemoryRegister({ bus, clock, latencyMs: () => 5 });
  const heard: Change[] = [];
  await clock.until(two.watch(change => heard.push(change)));
  const start = clock.monotonic();
  const [first, second] = [one.create('a', 'first'), one.create('a', 'second')];
  t.strictSame(await clock.until(Promise.all([first, second])), [1, undefined]);
  t.equal(clock.monotonic() - start, 15);
  await clock.advance(0);
  t.strictSame(heard, [{ key: 'a', value: 'first', revision: 1 }]);
});

t.test('a node that is cut off is refused, and misses what happens meanwhile', async t => {
  const bus = new RegisterBus();
  const [one, two] = [new MemoryRegister({ bus }), new MemoryRegister({ bus })];
  const heard: Change[] = [];
  await one.watch(change => heard.push(change));
  one.connected = false;
  await t.rejects(one.entries(), RegisterUnavailable);
  await t.rejects(one.create('a', '1'), RegisterUnavailable);
  t.equal(await two.create('a', '2'), 1);
  one.connected = true;
  t.strictSame(await one.entries(), [{ key: 'a', value: '2', revision: 1 }]);
  await two.create('b', '3');
  t.strictSame(heard, [{ key: 'b', value: '3', revision: 2 }]);
});

t.test('what was sent before the connection was lost may still be done', async t => {
  const [bus, clock] = [new RegisterBus(), new VirtualClock()];
  const one = new MemoryRegister({ bus, clock, latencyMs: () => 5 });
  const refused = t.rejects(one.create('a', '1'), RegisterUnavailable);
  one.connected = false;
  await refused;
  t.equal(bus.at('a'), undefined);
  await clock.advance(5);
  t.match(bus.at('a'), { value: '1' });
});
