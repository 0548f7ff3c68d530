/** What was begun and not sent: kept by person, project and thread, however damaged or full the browser's storage is. */
import t from 'tap';
import { Drafts, parseDraft } from '../../../../clients/console/composer/drafts.ts';
import { clearDrafts } from '../../../../clients/kit/kept-drafts.ts';

function createStorage() {
  const kept = new Map<string, string>();
  const state = { isFull: false };
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem(key: string, text: string) {
      if (state.isFull) throw new DOMException('full', 'QuotaExceededError');
      kept.set(key, text);
    },
    removeItem: (key: string) => void kept.delete(key),
    key: (index: number) => [...kept.keys()][index] ?? null,
    get length() {
      return kept.size;
    },
  };
  return { kept, state, storage };
}

const me = { userId: 'usr_me', projectId: 'prj_1' };
const file = { attachmentId: 'att_1', name: 'a.txt', type: 'text/plain', size: 3 };

t.test('keeps what was written apart, by person, project, thread and kind', async t => {
  const { kept, storage } = createStorage();
  const mine = new Drafts(storage, me);
  mine.setText('thread_1', 'reply', 'Hello');
  t.equal(new Drafts(storage, me).getText('thread_1', 'reply'), 'Hello', 'also for another page');
  const others = [
    mine.getText('thread_1', 'note'),
    mine.getText('thread_2', 'reply'),
    new Drafts(storage, { ...me, userId: 'usr_her' }).getText('thread_1', 'reply'),
    new Drafts(storage, { ...me, projectId: 'prj_2' }).getText('thread_1', 'reply'),
  ];
  t.strictSame(others, ['', '', '', '']);
  mine.setText('thread_1', 'reply', '');
  t.equal(kept.size, 0);
});

t.test('keeps the kind, the message that is answered, files and who was chosen', async t => {
  const { storage } = createStorage();
  const drafts = new Drafts(storage, me);
  drafts.update('thread_1', { kind: 'note', replyTo: 'msg_1' });
  drafts.update('thread_1', { files: [file], mentions: ['usr_her'] });
  const again = new Drafts(storage, me).get('thread_1');
  t.match(again, { kind: 'note', replyTo: 'msg_1', files: [file], mentions: ['usr_her'] });
  t.equal(drafts.get('thread_1'), drafts.get('thread_1'), 'the same object until something changes');
});

t.test('keeps the template that is filled in, until it is sent', async t => {
  const { kept, storage } = createStorage();
  const drafts = new Drafts(storage, me);
  const template = { channelId: 'channel_1', templateId: '17', values: { 'body 1': 'Ada', header: '' } };
  drafts.update('thread_1', { template: { ...template, values: {} } });
  drafts.update('thread_1', { template });
  t.strictSame(new Drafts(storage, me).get('thread_1').template, template);
  drafts.update('thread_1', { template: undefined });
  t.equal(kept.size, 0);
});

t.test('keeps reasons and canned replies, until they are given up', async t => {
  const { kept, storage } = createStorage();
  const drafts = new Drafts(storage, me);
  const cannedReply = { shortcut: '/', title: '', body: 'Thank you' };
  drafts.setText('run_1', 'reason', 'Too late');
  drafts.update('canned-reply:new', { cannedReply });
  const again = new Drafts(storage, me);
  t.equal(again.getText('run_1', 'reason'), 'Too late');
  t.strictSame(again.get('canned-reply:new').cannedReply, cannedReply);
  drafts.setText('run_1', 'reason', '');
  drafts.update('canned-reply:new', { cannedReply: undefined });
  t.equal(kept.size, 0);
  const changed = { ...cannedReply, updatedAt: '2026-11-26T12:00:00.000Z' };
  drafts.update('canned-reply:1', { cannedReply: changed });
  t.strictSame(new Drafts(storage, me).get('canned-reply:1').cannedReply, changed);
  for (const damaged of [null, 'a', [], { shortcut: '/', title: 'a' }, { ...cannedReply, body: 3 }])
    t.equal(parseDraft(JSON.stringify({ cannedReply: damaged })).cannedReply, undefined);
});

t.test('of 200 drafts the one that was not touched for longest makes room', async t => {
  const { storage } = createStorage();
  let now = 0;
  const drafts = new Drafts(storage, me, () => now++);
  for (let n = 0; n < 200; n++) drafts.setText(`thread_${n}`, 'reply', 'a');
  drafts.setText('thread_0', 'reply', 'touched');
  drafts.setText('thread_200', 'reply', 'a');
  t.strictSame(
    [0, 1, 2, 200].map(n => drafts.getText(`thread_${n}`, 'reply')),
    ['touched', '', 'a', 'a'],
  );
  t.equal(storage.length, 200);
});

t.test(
  'before all others reasons make room, which may be of what is decided, and nothing else of theirs',
  async t => {
    const { storage } = createStorage();
    let now = 0;
    const drafts = new Drafts(storage, me, () => now++);
    for (let n = 0; n < 197; n++) drafts.setText(`thread_${n}`, 'reply', 'a');
    drafts.update('run_0', { reason: 'why', suggestion: 'a' });
    drafts.setText('run_1', 'reason', 'why');
    drafts.setText('run_2', 'reason', 'why');
    const isKept = (ids: readonly string[]) => ids.map(id => Object.keys(drafts.get(id)).length > 0);
    drafts.setText('thread_new', 'reply', 'a');
    t.strictSame(isKept(['thread_0', 'run_0', 'run_1', 'run_2']), [true, true, false, true]);
    drafts.setText('thread_newer', 'reply', 'a');
    drafts.setText('thread_newest', 'reply', 'a');
    t.strictSame(isKept(['thread_0', 'thread_1', 'run_0', 'run_2']), [false, true, true, false]);
    t.equal(storage.length, 200);
  },
);

t.test('a full storage loses nothing while the page is open', async t => {
  const { state, storage } = createStorage();
  const drafts = new Drafts(storage, me);
  let changes = 0;
  drafts.onChange(() => changes++);
  state.isFull = true;
  drafts.setText('thread_1', 'reply', 'Hello');
  t.equal(drafts.getText('thread_1', 'reply'), 'Hello');
  drafts.setText('thread_1', 'reply', '');
  t.equal(drafts.getText('thread_1', 'reply'), '');
  t.equal(changes, 2);
});

t.test('signing out takes away what anybody has written, and nothing else', async t => {
  const { kept, storage } = createStorage();
  kept.set('skein-send-by', 'enter');
  for (const userId of ['usr_me', 'usr_her'])
    new Drafts(storage, { ...me, userId }).setText('thread_1', 'note', 'a');
  clearDrafts(storage);
  t.strictSame([...kept.keys()], ['skein-send-by']);
});

t.test('what is damaged is left out', async t => {
  for (const text of ['', '{', 'null', '[]', '3']) t.match(parseDraft(text), { files: [], mentions: [] });
  const mixed = {
    reply: 3,
    note: 'a',
    kind: 'else',
    files: [file, { ...file, size: 'big' }, null],
    mentions: [1, 'usr_1'],
  };
  t.match(parseDraft(JSON.stringify(mixed)), { note: 'a', files: [file], mentions: ['usr_1'] });
  t.strictSame(
    [parseDraft(JSON.stringify(mixed)).reply, parseDraft(JSON.stringify(mixed)).files?.length],
    [undefined, 1],
  );
  const readTemplate = (template: unknown): unknown => parseDraft(JSON.stringify({ template })).template;
  const known = { channelId: 'channel_1', templateId: '17' };
  for (const damaged of [null, 'a', [], { channelId: 'channel_1' }, { ...known, templateId: 17 }])
    t.equal(readTemplate(damaged), undefined);
  for (const values of [undefined, 3, { 'body 1': 3 }])
    t.strictSame(readTemplate({ ...known, values }), { ...known, values: {} });
});
