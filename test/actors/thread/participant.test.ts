import t from 'tap';
import type { ChannelKind } from '../../../protocol/resources/channel.ts';
import type { Thread } from '../../../protocol/resources/thread.ts';
import {
  createIfMissingField,
  type ParticipantChanges,
  type ReceiveMessage,
} from '../../../actors/thread/commands.ts';
import { key, message, refusal, tenancy, ThreadHarness } from './thread-harness.ts';

type Told = Pick<ReceiveMessage, 'participant' | 'aliases'>;

const threadOn = (kind: ChannelKind) => {
  const thread = new ThreadHarness(kind);
  const { channelId } = thread;
  return {
    thread,
    /** The participant writes, and something becomes known of them. */
    tell: (told: Told) =>
      thread.do('receive', {
        ...tenancy,
        channel: { channelId, kind },
        [createIfMissingField]: { externalRef: '15550100', metadata: {} },
        message: message('Hello'),
        ...told,
      }),
    getParticipant: () =>
      (JSON.parse(thread.do('update', { ...tenancy, changes: {}, author: key })) as Thread).participant,
  };
};

t.test('what a channel’s owner tells of the participant stays until they tell otherwise', async t => {
  const { thread, tell, getParticipant } = threadOn('custom');
  tell({});
  t.strictSame(getParticipant(), {
    externalParticipantRef: '15550100',
    displayName: null,
    locale: null,
    attributes: {},
  });
  t.equal(thread.state.participant, null, 'nothing is stored of nothing');
  tell({ participant: { displayName: 'Ada', attributes: { tier: 'gold', since: 2020 } } });
  tell({ participant: { locale: 'en-GB' } });
  t.match(getParticipant(), {
    displayName: 'Ada',
    locale: 'en-GB',
    attributes: { tier: 'gold', since: 2020 },
  });
  tell({ participant: { displayName: null, attributes: { tier: 'silver' } } });
  t.strictSame(getParticipant()?.attributes, { tier: 'silver' }, 'the attributes are all there are');
  t.equal(getParticipant()?.displayName, null);
  const { participant } = thread.state;
  tell({ participant: { locale: 'en-GB' } });
  t.equal(thread.state.participant, participant, 'what is known already changes nothing');
});

t.test('what a message changes of the participant is announced before it', async t => {
  const { thread, tell } = threadOn('custom');
  tell({ participant: { displayName: 'Ada' } });
  t.strictSame(thread.names(), ['thread.lifecycle.created', 'thread.message.received']);
  t.match(thread.events[0]?.data.thread?.participant, { displayName: 'Ada' });
  const seen = thread.events.length;
  tell({});
  tell({ participant: { displayName: 'Ada' } });
  t.strictSame(thread.names(seen), ['thread.message.received', 'thread.message.received']);
  tell({ participant: { displayName: 'Ada Lovelace' } });
  t.strictSame(thread.names(seen + 2), ['thread.lifecycle.updated', 'thread.message.received']);
  t.match(thread.events[seen + 2]?.data, {
    actor: { type: 'contact', id: '15550100' },
    thread: { participant: { externalParticipantRef: '15550100', displayName: 'Ada Lovelace' } },
  });
});

t.test('a provider tells the names of the participant piece by piece', async t => {
  const { tell, getParticipant } = threadOn('chatapp');
  tell({ participant: { displayName: 'Ada', attributes: { phone: '15550100' } } });
  tell({ participant: { attributes: { userId: 'US.1' } } });
  t.match(getParticipant(), { displayName: 'Ada', attributes: { phone: '15550100', userId: 'US.1' } });
  tell({ participant: { attributes: { phone: '15550101' } } });
  t.strictSame(getParticipant()?.attributes, { phone: '15550101', userId: 'US.1' });
});

t.test('PATCH merges what it says of the participant, and null clears', async t => {
  const { thread, tell, getParticipant } = threadOn('custom');
  tell({ participant: { displayName: 'Ada', locale: 'en', attributes: { tier: 'gold', since: 2020 } } });
  const patch = (participant: ParticipantChanges) =>
    thread.do('update', { ...tenancy, changes: { participant }, author: key });
  const seen = thread.events.length;
  patch({ locale: null, attributes: { tier: null, city: 'Turin' } });
  t.match(getParticipant(), { displayName: 'Ada', locale: null });
  t.strictSame(getParticipant()?.attributes, { since: 2020, city: 'Turin' });
  const [changed] = thread.events.slice(seen);
  t.match(changed, {
    eventName: 'thread.lifecycle.updated',
    data: { thread: { participant: { locale: null } } },
  });
  patch({ displayName: 'Ada', attributes: {} });
  t.equal(thread.events.length, seen + 1, 'what stays the same has no event');
  const large = { note: 'x'.repeat(1_100_000) };
  t.equal(refusal(() => patch({ attributes: large })).code, 'svc/validation/invalid_request');
});

t.test('new names are written with the message that tells them', async t => {
  const { thread, tell } = threadOn('chatapp');
  tell({ aliases: ['US.1', '15550100'] });
  tell({});
  const written = thread.writes.filter(({ statement }) => statement.name === 'chatapp_alias.add');
  t.strictSame(
    written.map(({ values }) => [values[0], values[1], values[4], values[5]]),
    ['US.1', '15550100'].map(alias => [thread.channelId, alias, thread.id, '15550100']),
  );
});

t.test('the file of a message is awaited with it', async t => {
  const { thread } = threadOn('chatapp');
  const { channelId } = thread;
  const file = {
    attachmentId: 'att_1',
    kind: 'image',
    providerMediaId: '17',
    mimeType: 'image/jpeg',
    filename: null,
    sha256: null,
  } as const;
  const sent = { ...message('[Image]'), awaitedFiles: [file] };
  thread.do('receive', {
    ...tenancy,
    channel: { channelId, kind: 'chatapp' },
    [createIfMissingField]: { externalRef: '15550100', metadata: {} },
    message: sent,
  });
  const [written] = thread.writes.filter(({ statement }) => statement.name === 'chatapp_file.await');
  t.strictSame(written?.values.slice(0, 7), [
    'att_1',
    tenancy.projectId,
    tenancy.environmentId,
    channelId,
    thread.id,
    sent.messageId,
    '17',
  ]);
});
