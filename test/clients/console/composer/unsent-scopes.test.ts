/** Whether a tab would lose something, and where that waits. */
import t from 'tap';
import { toOutboxKey } from '../../../../clients/console/composer/unsent.ts';
import { findUnsentScopes, hasUnsent } from '../../../../clients/console/composer/unsent-scopes.ts';
import { Uploads } from '../../../../clients/console/composer/uploads.ts';
import type { Skein } from '../../../../clients/sdk/index.ts';

t.test('what waits in any outbox of the tab is unsent, and nothing else is', async t => {
  t.notOk(hasUnsent([]));
  t.notOk(
    hasUnsent([
      ['skein-outbox:user_1:prj_1:env_1', '[]'],
      ['another', '[{}]'],
    ]),
  );
  t.ok(
    hasUnsent([
      ['skein-outbox:user_1:prj_1:env_1', '[]'],
      ['skein-outbox:user_1:prj_2:env_2', '[{}]'],
    ]),
  );
});

t.test('what somebody has not sent is found wherever it waits, and what others have not', async t => {
  const [here, there] = [
    { userId: 'user_1', projectId: 'prj_1', environmentId: 'env_1' },
    { userId: 'user_1', projectId: 'prj_2', environmentId: 'env_2' },
  ];
  const kept = [
    [toOutboxKey(here), '[{}]'],
    [toOutboxKey(there), '[{}]'],
    [toOutboxKey({ ...here, environmentId: 'env_3' }), '[]'],
    [toOutboxKey({ ...here, userId: 'user_2' }), '[{}]'],
    ['user_1:prj_1:env_1', '[{}]'],
  ] as const;
  t.strictSame(findUnsentScopes(kept, 'user_1'), [here, there]);
});

t.test('a file is the page’s alone until it has arrived', async t => {
  const arrivals: PromiseWithResolvers<string>[] = [];
  const attachments = {
    upload() {
      const arrival = Promise.withResolvers<string>();
      arrivals.push(arrival);
      return arrival.promise;
    },
  } as unknown as Skein['attachments'];
  let keys = 0;
  const uploads = new Uploads(
    { attachments },
    {
      createKey: () => `key-${++keys}`,
      load: () => [],
      keep: () => undefined,
      describeError: async error => String(error),
    },
  );
  t.notOk(uploads.holdsFiles);
  uploads.add('thread_1', [new File(['one'], 'one.txt')]);
  uploads.add('thread_2', [new File(['two'], 'two.txt')]);
  t.ok(uploads.holdsFiles);
  const [one, two] = arrivals;
  one?.resolve('attachment_1');
  await one?.promise;
  t.ok(uploads.holdsFiles, 'the other is on its way');
  two?.resolve('attachment_2');
  await two?.promise;
  t.notOk(uploads.holdsFiles);
});
