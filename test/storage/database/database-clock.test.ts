/** A node's clock is the database's: what it answers, how it follows a machine whose clock is wrong or is set, and what it says. */
import t from 'tap';
import type { Queries } from '../../../storage/database/database.ts';
import { DatabaseClock } from '../../../storage/database/database-clock.ts';
import { MemoryLog } from '../../gateway/http/http-fixture.ts';
import { startTestDatabase } from '../../support/database.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { ShiftedClock } from '../../support/stitch-node.ts';

const dayMs = 86_400_000;

/** A machine and a database with clocks of their own, in virtual time. */
function createClocks() {
  const machine = new VirtualClock();
  const start = machine.now();
  const server = {
    isAway: false,
    /** How long a question and its answer take on their way. */
    latencyMs: 0,
    questions: 0,
    now: (): number => start + machine.monotonic(),
  };
  const wait = (ms: number): Promise<void> =>
    ms === 0 ? Promise.resolve() : new Promise(resolve => machine.after(ms, resolve));
  const database: Queries = {
    async query<T extends object>(): Promise<T[]> {
      server.questions++;
      await wait(server.latencyMs / 4);
      if (server.isAway) throw new Error('the database is away');
      const now = server.now();
      await wait((server.latencyMs * 3) / 4);
      return [{ now }] as unknown as T[];
    },
  };
  const log = new MemoryLog();
  const clock = new DatabaseClock({ database, log, machine });
  return { machine, server, log, clock };
}

t.test('while they agree, the time is the machine’s own', async t => {
  const { machine, server, log, clock } = createClocks();
  machine.jump(900);
  await clock.start();
  t.equal(clock.now(), machine.now());
  t.notOk(clock.isWrong);
  t.same(log.entries, []);
  await machine.advance(25_000);
  t.equal(server.questions, 3, 'at the start, and every ten seconds');
  clock.stop();
  clock.stop();
  await machine.advance(60_000);
  t.equal(server.questions, 3);
});

t.test(
  'a machine that is forty days ahead has the database’s time, and says once that it is wrong',
  async t => {
    const { machine, server, log, clock } = createClocks();
    machine.jump(40 * dayMs);
    await clock.start();
    t.equal(clock.now(), server.now());
    await machine.advance(123_456);
    t.equal(clock.now(), server.now());
    t.ok(clock.isWrong);
    t.equal(clock.differenceMs, 40 * dayMs);
    machine.jump(-40 * dayMs);
    await machine.advance(1_000);
    t.notOk(clock.isWrong);
    t.equal(clock.now(), machine.now());
    t.match(log.entries, [
      { level: 'warn', fields: { aheadSeconds: 40 * 86_400 } },
      { level: 'info', fields: { aheadSeconds: 0 } },
    ]);
  },
);

t.test('half a minute is corrected, and not called wrong', async t => {
  const { machine, server, clock, log } = createClocks();
  machine.jump(-30_000);
  await clock.start();
  t.equal(clock.now(), server.now());
  t.notOk(clock.isWrong);
  t.same(log.entries, []);
});

t.test('a clock that is set is found out within a second, and the database is asked', async t => {
  const { machine, server, clock } = createClocks();
  await clock.start();
  await machine.advance(1_500);
  machine.jump(dayMs);
  server.isAway = true;
  await machine.advance(500);
  t.equal(clock.now(), server.now(), 'also while the database is away');
  t.equal(server.questions, 2);
});

t.test('slow answers do not move a time that they do not contradict', async t => {
  const { machine, server, clock } = createClocks();
  machine.jump(5_000);
  await clock.start();
  server.latencyMs = 8_000;
  await machine.advance(60_000);
  t.equal(clock.now(), server.now());
});

t.test('a real database tells its time', async t => {
  const { database } = await startTestDatabase(t);
  const machine = new ShiftedClock();
  machine.shift(-40 * dayMs);
  const clock = new DatabaseClock({ database, log: new MemoryLog(), machine });
  t.teardown(() => clock.stop());
  await clock.start();
  t.ok(Math.abs(clock.now() - Date.now()) < 1_000);
  t.ok(Math.abs((await clock.ask()) - Date.now()) < 1_000);
  t.ok(clock.isWrong);
  t.ok(Number.isInteger(clock.now()));
});
