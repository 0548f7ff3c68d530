/** Commands are found by the beginnings of their words. */
import t from 'tap';
import { findCommands, step } from '../../../../clients/kit/palette/commands.ts';

const commands = [
  { id: 'waiting', label: 'Waiting longest' },
  { id: 'closing', label: 'Fenster schließt' },
  { id: 'settings', label: 'Überblick' },
];
const find = (written: string): string[] => findCommands(written, commands).map(({ id }) => id);

t.test('finds by the beginnings of words', async t => {
  t.strictSame(find(''), ['waiting', 'closing', 'settings']);
  t.strictSame(find('long wai'), ['waiting']);
  t.strictSame(find('uber'), ['settings'], 'whatever marks the letters have');
  t.strictSame(find('ongest'), [], 'not in the middle of a word');
  t.strictSame(find('waiting closing'), [], 'all words have to fit');
});

t.test('goes round', async t => {
  t.strictSame([step(0, -1, 3), step(2, 1, 3), step(0, 1, 0)], [2, 0, 0]);
});
