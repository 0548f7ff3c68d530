/** A log that no flood fills, by a clock of the test's own. */
import { Registry } from 'prom-client';
import t, { type Test } from 'tap';
import { boundLog } from '../../../gateway/monitoring/bounded-log.ts';
import type { Log } from '../../../runtime/observability/log.ts';

interface Line {
  readonly level: keyof Log;
  readonly fields: object;
  readonly message: string;
}

function createFixture() {
  const lines: Line[] = [];
  const write =
    (level: keyof Log) =>
    (fields: object, message: string): void =>
      void lines.push({ level, fields, message });
  const registry = new Registry();
  const clock = { now: 0 };
  const log = boundLog(
    { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') },
    registry,
    () => clock.now,
  );
  return { lines, registry, clock, log };
}

async function checkMetrics(t: Test, registry: Registry, expected: readonly string[]): Promise<void> {
  const text = await registry.metrics();
  for (const line of expected) t.ok(text.includes(`\n${line}\n`), line);
}

t.test('of a flood 100 lines are written in ten seconds, and the next says how many were not', async t => {
  const { lines, registry, clock, log } = createFixture();
  for (let i = 0; i < 250; i++) log.error({ i }, 'it failed');
  t.equal(lines.length, 100);
  t.same(lines.at(-1)?.fields, { i: 99 });
  clock.now = 9_999;
  log.error({}, 'it failed');
  t.equal(lines.length, 100, 'the window is not over');
  clock.now = 10_000;
  log.error({ requestId: 'r' }, 'it failed');
  log.error({ requestId: 's' }, 'it failed');
  t.same(
    lines.slice(100).map(({ fields }) => fields),
    [{ requestId: 'r', leftOut: 151 }, { requestId: 's' }],
  );
  await checkMetrics(t, registry, [
    'skein_log_lines_total{level="error"} 253',
    'skein_log_lines_left_out_total{level="error"} 151',
  ]);
});

t.test('other messages, levels and classes of errors are no part of it', async t => {
  const { lines, registry, log } = createFixture();
  for (let i = 0; i < 150; i++) log.warn({ err: new TypeError('a') }, 'it failed');
  log.warn({ err: new RangeError('b') }, 'it failed');
  log.error({ err: new TypeError('a') }, 'it failed');
  log.warn({}, 'another');
  t.same(
    lines.slice(100).map(({ level, message }) => `${level} ${message}`),
    ['warn it failed', 'error it failed', 'warn another'],
  );
  await checkMetrics(t, registry, [
    'skein_log_lines_total{level="warn"} 152',
    'skein_log_lines_total{level="error"} 1',
    'skein_log_lines_left_out_total{level="warn"} 50',
  ]);
});

t.test('what is no failure is never left out', async t => {
  const { lines, log } = createFixture();
  for (let i = 0; i < 300; i++) {
    log.info({}, 'it went well');
    log.debug({}, 'in detail');
  }
  t.equal(lines.length, 600);
});

t.test('messages without end share one place, so that memory is bounded', async t => {
  const { lines, log } = createFixture();
  for (let i = 0; i < 1_500; i++) log.warn({}, `message ${i}`);
  t.equal(lines.length, 1_100, 'one each of the first thousand, and a hundred of all others');
});
