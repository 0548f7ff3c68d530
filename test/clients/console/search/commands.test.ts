/** What the palette understands of what is written in it. */
import t from 'tap';
import { findThreadId, isForCommands } from '../../../../clients/console/search/commands.ts';

t.test('knows a thread by its id, alone or at the end of an address', async t => {
  t.equal(findThreadId(' thread_01abc '), 'thread_01abc');
  t.equal(findThreadId('https://skein.example/console/prj_1/env_1/all/thread_01abc'), 'thread_01abc');
  t.equal(findThreadId('about thread_01abc and more'), undefined);
});

t.test('knows what asks for commands alone', async t => {
  t.strictSame([isForCommands(' > dark'), isForCommands('dark > light')], [true, false]);
});
