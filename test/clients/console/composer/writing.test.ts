/** Words at the caret, templates, and the signal that somebody types. */
import t from 'tap';
import { countCharacters, findToken, replaceToken } from '../../../../clients/console/composer/tokens.ts';
import { fillBody, listParameters, toComponents } from '../../../../clients/console/composer/templates.ts';
import { TypingSignal } from '../../../../clients/console/composer/typing-signal.ts';

t.test('finds the word at the caret that begins with a sign, and replaces it', async t => {
  t.strictSame(findToken('Ask @gra', 8, '@'), { start: 4, query: 'gra' });
  t.strictSame(findToken('Ask @grace now', 6, '@'), { start: 4, query: 'g' });
  t.equal(findToken('ada@example', 11, '@'), undefined, 'an address names nobody');
  t.equal(findToken('Ask @grace now', 14, '@'), undefined);
  t.strictSame(replaceToken('Ask @gra about it', 8, { start: 4, query: 'gra' }, '@Grace '), {
    text: 'Ask @Grace  about it',
    caret: 11,
  });
});

t.test('counts characters as the contract does', async t => {
  t.equal(countCharacters('😀é'), 2);
});

t.test('fills templates with numbers and with names', async t => {
  const template = {
    id: '1',
    name: 'order',
    language: 'en',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Hi {{name}}' },
      { type: 'BODY', text: '{{1}} of {{2}}, {{1}} again' },
      { type: 'FOOTER', text: 'Bye' },
    ],
  };
  t.strictSame(listParameters(template), [
    { component: 'header', name: 'name' },
    { component: 'body', name: '1' },
    { component: 'body', name: '2' },
  ]);
  const values = { 'header name': 'Ada', 'body 1': '$&', 'body 2': 'two' };
  t.equal(fillBody(template, values), '$& of two, $& again');
  t.equal(fillBody(template, {}), '{{1}} of {{2}}, {{1}} again');
  t.strictSame(toComponents(template, values), [
    { type: 'header', parameters: [{ type: 'text', parameter_name: 'name', text: 'Ada' }] },
    {
      type: 'body',
      parameters: [
        { type: 'text', text: '$&' },
        { type: 'text', text: 'two' },
      ],
    },
  ]);
});

t.test('tells of typing at once, every four seconds, and of its end once', async t => {
  const told: string[] = [];
  let now = 0;
  let stop: (() => void) | undefined;
  const signal = new TypingSignal({
    tell: state => told.push(`${now} ${state}`),
    now: () => now,
    schedule: work => {
      stop = work;
      return () => (stop = undefined);
    },
  });
  for (; now <= 5_000; now += 500) signal.typed();
  t.strictSame(told, ['0 started', '4000 started']);
  stop?.();
  signal.stop();
  t.strictSame(told, ['0 started', '4000 started', '5500 stopped']);
});
