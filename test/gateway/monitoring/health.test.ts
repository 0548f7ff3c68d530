/** /healthz, /readyz, /metrics. */
import { Counter, Registry } from 'prom-client';
import t, { type Test } from 'tap';
import { Health, type HealthOptions } from '../../../gateway/monitoring/health.ts';
import { MemoryLog, startServer } from '../http/http-fixture.ts';

async function world(t: Test, checks: HealthOptions['checks'], registry = new Registry()) {
  const log = new MemoryLog();
  const health = new Health({ checks, registry, log, checkDeadlineMs: 20 });
  const { url } = await startServer(t, server => health.serve(server));
  const get = async (path: string) => {
    const answer = await fetch(url + path);
    return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
  };
  return { get, health, log };
}

t.test('a process that answers is healthy, whatever is the matter around it', async t => {
  const { get } = await world(t, { database: () => Promise.reject(new Error('gone')) });
  t.match(await get('/healthz'), { status: 200, text: '{"status":"ok"}' });
});

t.test('ready is who passes every check in time', async t => {
  const { get, log } = await world(t, {
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

t.test('who drains is not ready any more', async t => {
  const { get, health } = await world(t, { database: () => Promise.resolve() });
  t.match(await get('/readyz'), { status: 200, text: '{"status":"ok","checks":{"database":"ok"}}' });
  health.drain();
  t.match(await get('/readyz'), { status: 503, text: /draining/ });
  t.equal((await get('/healthz')).status, 200);
});

t.test('who has not started is not ready', async t => {
  const { get, health } = await world(t, { database: () => Promise.resolve() });
  health.hold();
  t.match(await get('/readyz'), { status: 503, text: '{"status":"starting","checks":{"database":"ok"}}' });
  health.release();
  t.equal((await get('/readyz')).status, 200);
});

t.test('metrics are what the registry has', async t => {
  const registry = new Registry();
  new Counter({ name: 'things_total', help: 'Things', registers: [registry] }).inc(3);
  const { get } = await world(t, {}, registry);
  const answer = await get('/metrics');
  t.match(answer.type, /^text\/plain/);
  t.match(answer.text, /things_total 3/);
});
