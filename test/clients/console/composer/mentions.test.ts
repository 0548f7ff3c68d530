/** Whom a note names, and where. */
import t from 'tap';
import { findMentioned, splitMentions } from '../../../../clients/console/composer/mentions.ts';

const ana = { userId: 'usr_ana', name: 'Ana' };
const anabel = { userId: 'usr_anabel', name: 'Anabel' };
const twins = [
  { userId: 'usr_1', name: 'Kim Li' },
  { userId: 'usr_2', name: 'Kim Li' },
];

t.test('names those whose name stands behind an @, as a whole', async t => {
  const find = (text: string, chosen: string[] = []) => findMentioned(text, [ana, anabel, ...twins], chosen);
  t.strictSame(find('Ask @ana, or @Anabel.'), ['usr_ana', 'usr_anabel']);
  t.strictSame(find('Ask @Anabel'), ['usr_anabel']);
  t.strictSame(find('Ask Ana', ['usr_ana']), [], 'who was chosen and taken out again is not meant');
  t.strictSame(find('Ask @Kim Li'), [], 'of two of one name nobody knows who is meant');
  t.strictSame(find('Ask @Kim Li', ['usr_2']), ['usr_2']);
});

t.test(
  'finds names whose small letters are more than their capitals, and what stands behind such letters',
  async t => {
    const people = [ana, { userId: 'usr_ibrahim', name: 'İbrahim' }];
    t.strictSame(findMentioned('@İbrahim bitte ansehen', people, []), ['usr_ibrahim']);
    t.strictSame(findMentioned('İstanbul: @Ana bitte', people, []), ['usr_ana']);
    t.strictSame(splitMentions('İst: @Ana, ja', ['Ana']), [
      { text: 'İst: ', isMention: false },
      { text: '@Ana', isMention: true },
      { text: ', ja', isMention: false },
    ]);
  },
);

t.test('names at most twenty', async t => {
  const many = Array.from({ length: 30 }, (_, n) => ({ userId: `usr_${n}`, name: `P${n}.` }));
  t.equal(findMentioned(many.map(({ name }) => `@${name}`).join(' '), many, []).length, 20);
});

t.test('shows the names apart from the text', async t => {
  const split = (text: string, names: string[]) =>
    splitMentions(text, names)
      .map(({ text: part, isMention }) => (isMention ? `[${part}]` : part))
      .join('');
  t.equal(split('Ask @ana or @Anabel!', ['Ana', 'Anabel']), 'Ask [@ana] or [@Anabel]!');
  t.equal(split('@Kim Li', ['Kim', 'Kim Li']), '[@Kim Li]');
  t.equal(split('nobody', ['Ana', '']), 'nobody');
  t.strictSame(splitMentions('', ['Ana']), []);
});
