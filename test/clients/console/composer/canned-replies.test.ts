/** Canned replies as the composer finds and fills them. */
import t from 'tap';
import {
  type CannedReplySource,
  fillCannedReply,
  findCannedReplies,
} from '../../../../clients/console/composer/canned-replies.ts';
import type { CannedReply } from '../../../../clients/sdk/index.ts';

t.test('found by the beginning of the shortcut, then by a part of the title', async t => {
  const replies = [
    { shortcut: '/bye', title: 'Thanks for writing' },
    { shortcut: '/thanks', title: 'A pleasure' },
    { shortcut: '/hello', title: 'Welcome' },
  ] as CannedReply[];
  const find = (written: string) => findCannedReplies(replies, written).map(({ shortcut }) => shortcut);
  t.strictSame(find('tHa'), ['/thanks', '/bye']);
  t.strictSame(find(''), ['/bye', '/thanks', '/hello']);
});

t.test('placeholders are filled in, each value once, and what is not there leaves nothing', async t => {
  const source = {
    thread: {
      participant: {
        displayName: 'Ada \u202E{{operator.name}}',
        externalParticipantRef: '+49151',
        locale: null,
        attributes: {},
      },
      externalRef: 'ref',
      customFields: { order: 17, paid: true, list: ['a'] },
    },
    operatorName: 'Ana',
  } as unknown as CannedReplySource & { thread: { externalRef: string } };
  const fill = (body: string) => fillCannedReply(body, source);
  t.equal(fill('Hello {{ participant.name }}!'), 'Hello Ada {{operator.name}}!');
  t.equal(fill('{{participant.ref}} {{operator.name}}'), '+49151 Ana');
  t.equal(
    fill('{{thread.customFields.order}} {{thread.customFields.paid}} {{thread.customFields.list}}.'),
    '17 true .',
  );
  t.equal(fill('{{thread.customFields.none}}'), '');
  const { externalRef } = source.thread;
  const operatorName = '';
  t.equal(fillCannedReply('{{participant.ref}}', { thread: { externalRef }, operatorName }), 'ref');
});
