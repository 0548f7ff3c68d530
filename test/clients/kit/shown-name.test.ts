/** Names that others have given, as they are shown and typed. */
import t from 'tap';
import { toTypedName, toVisibleName } from '../../../clients/kit/shown-name.ts';
import { tellApart } from '../../../clients/kit/shell/tell-apart.ts';

t.test('a name of which nothing can be seen gives way to what can', async t => {
  for (const name of ['', '   ', '\n', '\u200b\u2060', '\u202e\u202c', '\u2066 \u2069', '\u00ad', '\u3164'])
    t.equal(toVisibleName(name, 'ch_1'), 'ch_1', JSON.stringify(name));
  for (const name of ['Ada', '.', '👩‍👩‍👧', 'e\u0301', 'עברית', ' a']) t.equal(toVisibleName(name, 'ch_1'), name);
  t.equal(toVisibleName('\u202elive', 'ch_1'), 'live', 'in the direction of its letters');
});

t.test('a name is typed by whoever reads it', async t => {
  t.equal(toTypedName('Odd\n\t name\u200b '), 'Odd name');
  t.equal(toTypedName('\u202eOdd'), 'Odd');
  t.equal(toTypedName('e\u0301'), toTypedName('\u00e9'));
  t.not(toTypedName('Odd'), toTypedName('odd'));
  t.equal(toTypedName(' \u200b'), '');
});

t.test('what has the name of another is told apart by its id', async t => {
  const named = (id: string, name: string) => ({ id, name });
  t.strictSame(tellApart([named('ws_0001', 'Shop'), named('ws_0002', 'Bar'), named('ws_0003', 'Shop')]), [
    'Shop (…0001)',
    'Bar',
    'Shop (…0003)',
  ]);
});
