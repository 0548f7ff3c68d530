import t from 'tap';
import { keepAliveClock, systemClock, type Clock } from '../../../runtime/time/clock.ts';

/** How many timers keep the process alive. */
const countTimers = (): number => process.getActiveResourcesInfo().filter(kind => kind === 'Timeout').length;

t.test('of the two clocks of the machine one keeps the process alive while it waits', async t => {
  const keeps = (clock: Clock): boolean => {
    const before = countTimers();
    const timer = clock.after(60_000, () => undefined);
    const keepsAlive = countTimers() > before;
    timer.cancel();
    t.equal(countTimers(), before);
    return keepsAlive;
  };
  t.equal(keeps(keepAliveClock), true);
  t.equal(keeps(systemClock), false);
});
