/** The worker that checks arguments against schemas, when the worker itself fails. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { InputChecker } from '../../../../actors/run/tools/input.ts';

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

t.test('a worker that runs says what does not fit', async t => {
  const checker = new InputChecker();
  t.teardown(() => checker.close());
  t.match(await checker.check(task), [{ code: 'required' }]);
  t.same(await checker.check({ ...task, input: '{"id":1}' }), []);
});
