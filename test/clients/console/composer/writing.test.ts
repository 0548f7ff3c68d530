/** Words at the caret, templates, the window for free text, and the signal that somebody types. */
import t from 'tap';
import { countCharacters, findToken, replaceToken } from '../../../../clients/console/composer/tokens.ts';
import {
  fillButton,
  fillText,
  findObstacle,
  isFilled,
  listFields,
  toComponents,
  toFieldKey,
} from '../../../../clients/console/composer/templates.ts';
import { isPastedAsFiles } from '../../../../clients/console/composer/pasting.ts';
import type { ChatappTemplate } from '../../../../clients/sdk/index.ts';
import { TypingSignal } from '../../../../clients/console/composer/typing-signal.ts';
import { getWindowPhase } from '../../../../clients/console/composer/window-phase.ts';

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

t.test(
  'what is pasted is its text where it has one, and its files where that is but their names',
  async t => {
    const picture = { name: 'image.png' };
    t.notOk(isPastedAsFiles({ files: [picture], text: 'a\tb\nc\td' }), 'cells of a spreadsheet');
    t.notOk(isPastedAsFiles({ files: [], text: 'a word' }));
    t.ok(isPastedAsFiles({ files: [picture], text: '' }));
    const files = [picture, { name: 'two words.txt' }];
    t.ok(
      isPastedAsFiles({ files, text: '/home/ada/image.png\r\ntwo words.txt\n' }),
      'files that were copied',
    );
  },
);

t.test('counts characters as the contract does', async t => {
  t.equal(countCharacters('😀é'), 2);
});

t.test(
  'a window that ends while it is looked at is asked about again, by the clock and by the server',
  async t => {
    const expiresAt = '2026-11-24T12:00:00.000Z';
    const end = Date.parse(expiresAt);
    const open = { serviceWindow: { open: true, expiresAt } };
    t.equal(getWindowPhase(open, end - 1), 'open');
    t.equal(getWindowPhase(open, end), 'ended');
    t.equal(getWindowPhase({ serviceWindow: { open: false, expiresAt } }, end - 1), 'closed');
    t.equal(getWindowPhase({ serviceWindow: { open: true, expiresAt: null } }, end), 'open');
    t.equal(getWindowPhase({ serviceWindow: null }, end), 'none');
  },
);

const createTemplate = (components: object[]) =>
  ({ id: '1', name: 'order', language: 'en', components }) as ChatappTemplate;

t.test('fills templates with numbers and with names', async t => {
  const template = createTemplate([
    { type: 'HEADER', format: 'TEXT', text: 'Hi {{name}}' },
    { type: 'BODY', text: '{{2}} for {{ 1 }}, {{2}} again' },
    { type: 'FOOTER', text: 'Bye' },
  ]);
  t.strictSame(listFields(template), [
    { is: 'text', component: 'header', name: 'name' },
    { is: 'text', component: 'body', name: '1' },
    { is: 'text', component: 'body', name: '2' },
  ]);
  const values = { 'header name': 'Ada', 'body 1': '$&', 'body 2': ' two ' };
  t.equal(fillText(template, values), 'Hi Ada\n\ntwo for $&, two again\n\nBye');
  t.equal(fillText(template, {}), 'Hi {{name}}\n\n{{2}} for {{ 1 }}, {{2}} again\n\nBye');
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

t.test('fills the files and the buttons of templates', async t => {
  const buttons = [
    { type: 'QUICK_REPLY', text: 'No' },
    { type: 'URL', text: 'Home', url: 'https://shop.example' },
    { type: 'URL', text: 'Follow', url: 'https://shop.example/{{1}}' },
    { type: 'COPY_CODE', text: 'Copy' },
  ];
  const template = createTemplate([
    { type: 'header', format: 'document' },
    { type: 'body', text: 'Your bill' },
    { type: 'buttons', buttons },
  ]);
  const fields = listFields(template);
  t.strictSame(fields.map(toFieldKey), ['header', 'button 2', 'button 3']);
  const values = {
    header: ' https://shop.example/a%20bill.pdf?for=1 ',
    'button 2': 'A17',
    'button 3': 'AUTUMN',
  };
  t.ok(fields.every(field => isFilled(field, values)));
  t.notOk(fields.every(field => isFilled(field, { ...values, header: 'javascript:alert(1)' })));
  t.notOk(fields.every(field => isFilled(field, { ...values, 'button 3': ' ' })));
  t.equal(fillText(template, values), '[document]\n\nYour bill');
  t.equal(fillButton(buttons[2] ?? {}, 2, values), 'https://shop.example/A17');
  const link = 'https://shop.example/a%20bill.pdf?for=1';
  t.strictSame(toComponents(template, values), [
    { type: 'header', parameters: [{ type: 'document', document: { link, filename: 'a bill.pdf' } }] },
    { type: 'button', index: '2', sub_type: 'url', parameters: [{ type: 'text', text: 'A17' }] },
    {
      type: 'button',
      index: '3',
      sub_type: 'copy_code',
      parameters: [{ type: 'coupon_code', coupon_code: 'AUTUMN' }],
    },
  ]);
});

t.test('knows which templates only the API can fill', async t => {
  const body = { type: 'BODY', text: 'Hello' };
  const find = (...components: object[]) => findObstacle(createTemplate([body, ...components]));
  t.equal(find({ type: 'FOOTER', text: 'Bye' }, { type: 'HEADER', format: 'VIDEO' }), undefined);
  t.strictSame(find({ type: 'HEADER', format: 'LOCATION' }), { part: 'header', kind: 'LOCATION' });
  t.strictSame(find({ type: 'CAROUSEL', cards: [] }), { part: 'component', kind: 'CAROUSEL' });
  const buttons = [
    { type: 'URL', text: 'Home', url: 'https://shop.example' },
    { type: 'FLOW', text: 'Book' },
  ];
  t.strictSame(find({ type: 'BUTTONS', buttons }), { part: 'button', kind: 'FLOW' });
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
