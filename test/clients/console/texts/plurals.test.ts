/** What the catalogues say of one thing and of several. */
import t from 'tap';
import { german } from '../../../../clients/console/texts/de/index.ts';
import { english } from '../../../../clients/console/texts/en/index.ts';

const { events } = german.thread;

t.test('one tag and several, in German and in English', async t => {
  const { added, removed, changed } = events.tags;
  t.equal(added('Ines', ['vip']), 'Ines vergab das Schlagwort vip');
  t.equal(added('Ines', ['vip', 'herbst']), 'Ines vergab die Schlagwörter vip, herbst');
  t.equal(removed('Ines', ['vip']), 'Ines entfernte das Schlagwort vip');
  t.equal(removed('Ines', ['vip', 'herbst']), 'Ines entfernte die Schlagwörter vip, herbst');
  t.equal(changed('Ines', ['neu'], ['vip', 'herbst']), 'Ines änderte die Schlagwörter vip, herbst in neu');
  const { tags } = english.thread.events;
  t.equal(tags.removed('Ines', ['vip']), 'Ines removed the tag vip');
  t.equal(tags.removed('Ines', ['vip', 'autumn']), 'Ines removed the tags vip, autumn');
});

t.test('counts in German', async t => {
  const { list, shell, thread } = german;
  t.strictSame([1, 2].map(list.waitingRows), ['1 Änderung', '2 Änderungen']);
  t.strictSame([1, 2, 100].map(list.unread), [
    '1 ungelesene Nachricht',
    '2 ungelesene Nachrichten',
    '100 oder mehr ungelesene Nachrichten',
  ]);
  t.strictSame([1, 2].map(list.selection.failed), ['1 ließ sich nicht ändern', '2 ließen sich nicht ändern']);
  t.strictSame([1, 2].map(shell.connection.unsent), [
    '1 Nachricht wartet auf Versand',
    '2 Nachrichten warten auf Versand',
  ]);
  t.strictSame(['1', '1.204'].map(thread.run.tokenCount), ['1 Token', '1.204 Tokens']);
});
