/** Names in sentences, set apart. */
import t from 'tap';
import { splitByNames } from '../../../clients/kit/named-parts.ts';
import { english } from '../../../clients/console/texts/en/index.ts';
import { german } from '../../../clients/console/texts/de/index.ts';

t.test('each name is a part of its own, wherever the sentence has it', async t => {
  t.strictSame(
    splitByNames((one, other) => `${other}, about ${one}.`, 'Ada', 'عمر'),
    [
      { text: 'عمر', isName: true },
      { text: ', about ', isName: false },
      { text: 'Ada', isName: true },
      { text: '.', isName: false },
    ],
  );
  t.strictSame(
    splitByNames(() => 'Nobody decided', 'Ada'),
    [{ text: 'Nobody decided', isName: false }],
  );
  t.strictSame(
    splitByNames(name => `Of ${name}`, ''),
    [
      { text: 'Of ', isName: false },
      { text: '', isName: true },
    ],
  );
});

t.test('the sentences that are shown so put their names in, in each language', async t => {
  for (const { mentions, thread } of [english, german]) {
    const { suggests, ended } = thread.agent;
    for (const say of [mentions.mentionedBy, suggests, ended.approved, ended.edited, ended.discarded]) {
      const parts = splitByNames(say, 'Ada');
      t.strictSame(
        parts.filter(({ isName }) => isName),
        [{ text: 'Ada', isName: true }],
      );
      t.equal(parts.map(({ text }) => text).join(''), say('Ada'));
    }
    t.equal(splitByNames(mentions.by, 'Ada', 'Bo').filter(({ isName }) => isName).length, 2);
  }
});
