/** Whether a tab would lose something. */
import t from 'tap';
import { hasUnsent } from '../../../../clients/console/composer/unsent.ts';

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
