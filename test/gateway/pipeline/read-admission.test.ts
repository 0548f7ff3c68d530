/** Costly reads of some tenants neither keep the database busy nor delay the reads of others. */
import t from 'tap';
import { ReadAdmission } from '../../../gateway/pipeline/read-admission.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const costlyMs = 1_000;

t.test('tenants whose reads are costly leave places for others', async t => {
  const clock = new VirtualClock();
  const admission = new ReadAdmission(clock);
  let busy = 0;
  const readCostly = (): Promise<void> => {
    busy++;
    return new Promise(resolve => {
      clock.after(costlyMs, () => {
        busy--;
        resolve();
      });
    });
  };
  // Each tenant has five reads at any time.
  const goOn = (tenant: string): void => {
    void Promise.resolve(admission.run(tenant, readCostly)).then(() => goOn(tenant));
  };
  for (let n = 0; n < 40; n++) goOn(`tenant ${n % 8}`);

  const seconds = 30;
  let honest = 0;
  let busySeconds = 0;
  for (let second = 0; second < seconds; second++) {
    void Promise.resolve(admission.run('honest', () => honest++));
    await clock.advance(costlyMs);
    busySeconds += busy;
  }
  t.ok(honest >= seconds - 2, `${honest} of ${seconds} reads begin within the time of a costly one`);
  t.ok(busySeconds < 6 * seconds, `${busySeconds / seconds} of 8 connections are busy`);
});
