/** Commands are found by the beginnings of their words. */
import t from 'tap';
import {
  type Command,
  findCommands,
  findThreadId,
  step,
} from '../../../../clients/console/search/commands.ts';

const commands: readonly Command[] = [
  { id: 'waiting', group: 'queues', label: 'Waiting longest' },
  { id: 'closing', group: 'queues', label: 'Fenster schließt' },
  { id: 'settings', group: 'actions', label: 'Überblick' },
];
const find = (written: string): string[] => findCommands(written, commands).map(({ id }) => id);

t.test('finds by the beginnings of words', async t => {
  t.strictSame(find(''), ['waiting', 'closing', 'settings']);
  t.strictSame(find('long wai'), ['waiting']);
  t.strictSame(find('uber'), ['settings'], 'whatever marks the letters have');
  t.strictSame(find('ongest'), [], 'not in the middle of a word');
  t.strictSame(find('waiting closing'), [], 'all words have to fit');
});

t.test('knows a thread by its id, alone or at the end of an address', async t => {
  t.equal(findThreadId(' thread_01abc '), 'thread_01abc');
  t.equal(findThreadId('https://skein.example/console/prj_1/env_1/all/thread_01abc'), 'thread_01abc');
  t.equal(findThreadId('about thread_01abc and more'), undefined);
});

t.test('goes round', async t => {
  t.strictSame([step(0, -1, 3), step(2, 1, 3), step(0, 1, 0)], [2, 0, 0]);
});
