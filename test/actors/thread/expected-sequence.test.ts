/** Nobody puts a thread away over a message that they have not seen. */
import t from 'tap';
import type { MessageDetails, ThreadChannel, ThreadCommands } from '../../../actors/thread/commands.ts';
import { decodeThread, threadSnapshot, type ThreadRow } from '../../../actors/thread/snapshot.ts';
import { human, hour, key, message, refusal, start, tenancy, ThreadHarness } from './thread-harness.ts';

type Changes = ThreadCommands['update']['payload']['changes'];

const patch = (thread: ThreadHarness, changes: Changes, expectedSequence?: number) =>
  thread.do('update', {
    ...tenancy,
    changes,
    author: human,
    ...(expectedSequence === undefined ? {} : { expectedSequence }),
  });
const snoozedUntil = new Date(start + hour).toISOString();
const putAway: readonly Changes[] = [{ status: 'closed' }, { status: 'archived' }, { snoozedUntil }];

function report(thread: ThreadHarness, details: MessageDetails): void {
  const channel: ThreadChannel = { channelId: thread.channelId, kind: thread.kind };
  thread.do('receive', { ...tenancy, channel, message: { ...message(''), details } });
}

t.test('a message that came since is a conflict, and nothing is changed', async t => {
  for (const changes of putAway) {
    const thread = new ThreadHarness();
    thread.receive();
    const seen = thread.state.sequence;
    thread.receive('One more thing');
    const { sequence } = thread.state;
    const events = thread.events.length;
    for (const expected of [0, seen, sequence - 1])
      t.strictSame(
        refusal(() => patch(thread, { ...changes, tags: ['done'] }, expected)),
        { code: 'svc/runtime/conflict', details: { sequence } },
        JSON.stringify(changes),
      );
    t.equal(thread.events.length, events);
    t.match(thread.state, { status: 'open', snoozedUntil: null, tags: [], sequence });
    patch(thread, changes, sequence);
    t.match(thread.state, changes, 'once it was seen');
  }
});

t.test('what else happens is no conflict', async t => {
  const thread = new ThreadHarness();
  thread.receive();
  const seen = thread.state.sequence;
  thread.send(human);
  thread.do('update', { ...tenancy, changes: { tags: ['vip'] }, author: key });
  report(thread, { content: { type: 'system', event: 'number_changed' } });
  t.ok(thread.state.sequence > seen + 2);
  patch(thread, { snoozedUntil }, seen);
  t.equal(thread.state.snoozedUntil, snoozedUntil);
  report(thread, { content: { type: 'system', event: 'message_edited' } });
  t.equal(
    refusal(() => patch(thread, { status: 'closed' }, seen)).code,
    'svc/runtime/conflict',
    'an edit is',
  );
});

t.test('tags that come and go have it as well', async t => {
  const thread = new ThreadHarness();
  thread.receive();
  const asked = { ...tenancy, add: ['done'], remove: [], author: human };
  t.equal(refusal(() => thread.do('retag', { ...asked, expectedSequence: 1 })).code, 'svc/runtime/conflict');
  thread.do('retag', { ...asked, expectedSequence: thread.state.sequence });
  t.strictSame(thread.state.tags, ['done']);
});

t.test('an erased message is seen by nobody', async t => {
  const thread = new ThreadHarness();
  thread.receive();
  thread.do('erase', { ...tenancy, author: human });
  patch(thread, { status: 'closed' }, 1);
  t.equal(thread.state.status, 'closed');
  thread.receive('Me again');
  t.equal(refusal(() => patch(thread, { status: 'closed' }, 1)).code, 'svc/runtime/conflict', 'a new one is');
});

t.test('the thread knows it after a restart; one of before does not, and lets everything pass', async t => {
  const thread = new ThreadHarness();
  thread.receive();
  const at = new Date(start).toISOString();
  const instants = { last_message_at: at, created_at: at, updated_at: at, archived_at: null };
  const { projectId: project_id, environmentId: environment_id } = tenancy;
  const channel = { channel_id: thread.channelId, external_ref: '+34600000000', participant: null };
  const others = {
    project_id,
    environment_id,
    agent_mode: null,
    agent_id: null,
    assignee_user_id: null,
    status: 'open',
    waiting_since: at,
    snoozed_until: null,
    tags: [],
  };
  const state = JSON.parse(String(threadSnapshot.values(thread.id, 0, 1, thread.state).at(-1))) as object;
  const row = {
    ...instants,
    ...channel,
    ...others,
    custom_fields: {},
    metadata: {},
    state,
  } as unknown as ThreadRow;
  t.equal(decodeThread(row).inboundSequence, thread.state.inboundSequence);
  const before = { ...row, state: { ...row.state, inboundAt: undefined } } as unknown as ThreadRow;
  thread.state = decodeThread(before);
  patch(thread, { status: 'closed' }, 0);
  t.equal(thread.state.status, 'closed');
});
