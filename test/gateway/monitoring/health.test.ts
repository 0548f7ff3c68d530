/** /healthz, /readyz, /metrics. */
import { Counter, Gauge, Registry } from 'prom-client';
import t, { type Test } from 'tap';
import { exposeChecks, Health, type HealthOptions } from '../../../gateway/monitoring/health.ts';
import { MemoryLog, startServer } from '../http/http-fixture.ts';

async function startHealth(t: Test, checks: HealthOptions['checks'], options: Partial<HealthOptions> = {}) {
  const log = new MemoryLog();
  const health = new Health({ checks, registry: new Registry(), log, checkDeadlineMs: 20, ...options });
  const { url } = await startServer(t, server => health.serve(server));
  const get = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await fetch(url + path, { headers });
    return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
  };
  return { get, health, log };
}

t.test('a process that answers is healthy, whatever is the matter around it', async t => {
  const { get } = await startHealth(t, { database: () => Promise.reject(new Error('gone')) });
  t.match(await get('/healthz'), { status: 200, text: '{"status":"ok"}' });
});

t.test('ready is who passes every check in time', async t => {
  const { get, log } = await startHealth(t, {
    database: () => Promise.resolve(),
    transport: () => Promise.reject(new Error('secret')),
    silent: () => new Promise(() => undefined),
    broken: () => {
      throw new Error('secret');
    },
  });
  const answer = await get('/readyz');
  t.equal(answer.status, 503);
  t.same(JSON.parse(answer.text), {
    status: 'failed',
    checks: { database: 'ok', transport: 'failed', silent: 'failed', broken: 'failed' },
  });
  t.same(
    log.entries.map(entry => entry.fields.check).sort(),
    ['broken', 'silent', 'transport'],
    'reasons are logged',
  );
});

t.test('a draining node is not ready', async t => {
  const { get, health } = await startHealth(t, { database: () => Promise.resolve() });
  t.match(await get('/readyz'), { status: 200, text: '{"status":"ok","checks":{"database":"ok"}}' });
  health.drain();
  t.match(await get('/readyz'), { status: 503, text: /draining/ });
  t.equal((await get('/healthz')).status, 200);
});

t.test('a node that has not started is not ready', async t => {
  const { get, health } = await startHealth(t, { database: () => Promise.resolve() });
  health.hold();
  t.match(await get('/readyz'), { status: 503, text: '{"status":"starting","checks":{"database":"ok"}}' });
  health.release();
  t.equal((await get('/readyz')).status, 200);
});

t.test('a node that does less than it should is ready, and says so', async t => {
  let isWrong = true;
  const checks = { database: () => Promise.resolve() };
  const { get } = await startHealth(t, checks, { degradations: { clock: () => isWrong } });
  t.match(await get('/readyz'), {
    status: 200,
    text: '{"status":"ok","checks":{"database":"ok","clock":"degraded"}}',
  });
  isWrong = false;
  t.match(await get('/readyz'), { text: '{"status":"ok","checks":{"database":"ok","clock":"ok"}}' });
});

t.test('metrics are what the registry has', async t => {
  const registry = new Registry();
  new Counter({ name: 'things_total', help: 'Things', registers: [registry] }).inc(3);
  const { get } = await startHealth(t, {}, { registry });
  const answer = await get('/metrics');
  t.match(answer.type, /^text\/plain/);
  t.match(answer.text, /things_total 3/);
  const open = await get('/metrics', { Accept: 'application/openmetrics-text;version=1.0.0' });
  t.match(open.type, /^application\/openmetrics-text; version=1\.0\.0/);
  t.match(open.text, /# TYPE things counter\nthings_total 3\n# EOF\n$/);
});

t.test('alerts see in the metrics which check fails', async t => {
  let database: () => Promise<void> = () => Promise.reject(new Error('gone'));
  const checks = { database: () => database(), cluster: () => Promise.resolve() };
  const registry = new Registry();
  const { health, get, log } = await startHealth(t, checks, {
    registry,
    checkEveryMs: 0,
    degradations: { clock: () => true },
  });
  exposeChecks(registry, health);
  const read = async (): Promise<readonly string[]> =>
    (await get('/metrics')).text.split('\n').filter(line => line.startsWith('skein_check_failed'));
  t.strictSame(await read(), [
    'skein_check_failed{check="database"} 1',
    'skein_check_failed{check="cluster"} 0',
    'skein_check_failed{check="clock"} 0',
  ]);
  await read();
  database = () => Promise.resolve();
  t.match(await read(), ['skein_check_failed{check="database"} 0']);
  t.match(
    log.entries.map(({ message, fields }) => [message, fields.check]),
    [
      ['not ready', 'database'],
      ['ready again', 'database'],
    ],
    'the log says when it begins and when it ends, and not each time',
  );
});

t.test('the checks of a scrape change no figure of it', async t => {
  let inFlight = 0;
  const checks = {
    database: () => {
      inFlight++;
      return Promise.resolve();
    },
  };
  const registry = new Registry();
  const { health, get } = await startHealth(t, checks, { registry });
  exposeChecks(registry, health);
  new Gauge({
    name: 'waiting',
    help: 'Waiting',
    registers: [registry],
    collect(): void {
      this.set(inFlight);
    },
  });
  t.match((await get('/metrics')).text, '\nwaiting 0\n');
  t.equal(inFlight, 1, 'and they were made');
});

t.test('who cannot wait is told how a check last ended, or that it failed', async t => {
  let answer = Promise.withResolvers<void>();
  const checks = { database: () => answer.promise };
  const { health } = await startHealth(t, checks, { checkEveryMs: 0, checkDeadlineMs: 60_000 });
  const end = async (how: () => void): Promise<void> => {
    const told = health.describe();
    how();
    await told;
    answer = Promise.withResolvers();
  };
  const failed = { status: 'failed', checks: { database: 'failed' } };
  t.strictSame(await health.describe(1), failed);
  await end(() => answer.resolve());
  t.strictSame(await health.describe(1), { status: 'ok', checks: { database: 'ok' } });
  await end(() => answer.reject(new Error('gone')));
  t.strictSame(await health.describe(1), failed);
  answer.resolve();
});

t.test('checks are asked once for many who ask, and again after a while', async t => {
  let asked = 0;
  const checks = { database: () => Promise.resolve(void asked++) };
  const { get } = await startHealth(t, checks);
  await Promise.all(Array.from({ length: 20 }, () => get('/readyz')));
  t.equal(asked, 1);
  const impatient = await startHealth(t, checks, { checkEveryMs: 0 });
  await impatient.get('/readyz');
  await impatient.get('/readyz');
  t.equal(asked, 3);
});

t.test('metrics are for the token, or for this machine', async t => {
  const local = await startHealth(t, {});
  t.equal((await local.get('/metrics')).status, 200);
  for (const name of ['X-Forwarded-For', 'Forwarded', 'X-Real-Ip', 'Via']) {
    t.equal((await local.get('/metrics', { [name]: '127.0.0.1' })).status, 401, `by a proxy: ${name}`);
  }
  const proxied = await startHealth(t, {}, { isBehindProxy: true });
  t.equal((await proxied.get('/metrics')).status, 401, 'a proxy on this machine may send no header');
  const token = 'a'.repeat(32);
  const remote = await startHealth(t, {}, { metricsToken: token });
  t.equal((await remote.get('/metrics')).status, 401);
  t.equal((await remote.get('/metrics', { Authorization: `Bearer ${token}b` })).status, 401);
  t.equal((await remote.get('/metrics', { Authorization: `Bearer ${token}` })).status, 200);
});
