/** The worker that checks arguments against schemas, when the worker itself fails. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { InputChecker } from '../../../../actors/run/tools/input.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const task = { schema: '{"type":"object","required":["id"]}', input: '{}' };

t.test('a worker that cannot start fails the checks that wait, and nothing else', async t => {
  const folder = t.testdir();
  const worker = join(folder, 'worker.mjs');
  await writeFile(worker, 'throw new Error("the thread cannot start");');
  const checker = new InputChecker(pathToFileURL(worker));
  t.teardown(() => checker.close());
  const outcomes = await Promise.allSettled([checker.check(task), checker.check(task)]);
  t.same(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  await t.rejects(checker.check(task), 'and so does the next one');
});

t.test('a running worker reports arguments that do not match the schema', async t => {
  const checker = new InputChecker();
  t.teardown(() => checker.close());
  t.match(await checker.check(task), [{ code: 'required' }]);
  t.same(await checker.check({ ...task, input: '{"id":1}' }), []);
});

t.test('a schema that the worker dies of is refused for a minute, and others are not', async t => {
  const folder = t.testdir({ checks: '' });
  const worker = join(folder, 'worker.mjs');
  await writeFile(
    worker,
    `import { appendFileSync } from 'node:fs';
     export default ({ schema }) => {
       appendFileSync(new URL('./checks', import.meta.url), schema + ' ');
       const kept = [];
       while (schema === 'deadly') kept.push(new Array(100_000).fill(kept.length));
       return [];
     };`,
  );
  const clock = new VirtualClock();
  const checker = new InputChecker(pathToFileURL(worker), clock);
  t.teardown(() => checker.close());
  const deadly = { schema: 'deadly', input: '{}' };
  const results = await Promise.all([
    checker.check(deadly),
    checker.check(deadly),
    checker.check({ ...deadly, schema: 'sound' }),
  ]);
  t.same(results, [undefined, undefined, []]);
  await clock.advance(59_000);
  t.equal(await checker.check(deadly), undefined);
  t.equal(await readFile(join(folder, 'checks'), 'utf8'), 'deadly sound ', 'it was tried once');
  await clock.advance(1_000);
  t.equal(await checker.check(deadly), undefined);
  t.equal(await readFile(join(folder, 'checks'), 'utf8'), 'deadly sound deadly ', 'and then again');
});
