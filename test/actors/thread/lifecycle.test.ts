import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import { human, key, message, refusal, start, tenancy, ThreadHarness } from './thread-harness.ts';

t.test('a thread that is created is open, numbered from one, and says so', async t => {
  const thread = new ThreadHarness();
  const created = thread.create();
  t.match(created, { threadId: thread.id, status: 'open', agentMode: null, tags: [], sequence: 1 });
  t.equal(created.lastMessageAt, new Date(start).toISOString());
  t.strictSame(thread.names(), ['thread.lifecycle.created']);
  t.strictSame({ preview: null, ...(thread.events[0]?.data.thread as object) }, { ...created });
});

t.test('a taken identity is a conflict that names the thread', async t => {
  const thread = new ThreadHarness();
  thread.create();
  t.strictSame(
    refusal(() => thread.create()),
    { code: 'svc/runtime/conflict', details: { threadId: thread.id } },
  );
  t.equal(thread.events.length, 1);
});

t.test('the first inbound message makes its thread', async t => {
  const thread = new ThreadHarness();
  const received = thread.receive('hello');
  t.match(received, {
    direction: 'inbound',
    status: null,
    sequence: 2,
    body: 'hello',
    channelId: thread.channelId,
  });
  t.strictSame(thread.names(), ['thread.lifecycle.created', 'thread.message.received']);
  t.strictSame(
    thread.events.map(event => event.data.sequence),
    [1, 2],
  );
  t.strictSame(thread.events[1]?.data.message, received);
  t.strictSame(thread.events[1]?.data.actor, { type: 'contact', id: '+34600000000' });
});

t.test('an outbound message on a custom channel is queued and becomes a command', async t => {
  const thread = new ThreadHarness('custom');
  thread.create();
  const sent = thread.send();
  t.match(sent, { direction: 'outbound', status: 'queued', sequence: 2 });
  t.strictSame(thread.names(1), ['thread.message.created', 'channel.message.requested']);
  const command = thread.writes.find(write => write.statement.name === 'command.insert');
  t.equal(command?.values[0], thread.events[2]?.eventId, 'the command is that event');
  t.strictSame(JSON.parse(String(command?.values[7])), thread.events[2]?.data);
  t.match(thread.events[2]?.data, { externalRef: '+34600000000', message: sent });
});

t.test('without a channel an outbound message waits for nothing: it has no status', async t => {
  const thread = new ThreadHarness();
  thread.do('create', { ...tenancy, channel: null, externalRef: null, metadata: {}, author: key });
  const { messageId, status } = thread.send();
  t.equal(status, null);
  t.equal(thread.row(messageId).status, null);
  t.strictSame(thread.names(1), ['thread.message.created']);
  t.equal(thread.events.at(-1)?.data.message?.status, null);
});

t.test(
  'only a template reaches somebody who has never written, and a text has the length of its channel',
  async t => {
    const thread = new ThreadHarness('chatapp');
    thread.create();
    t.equal(refusal(() => thread.send()).code, 'svc/chatapp/template_required');
    const template = { ...tenancy, message: message('Your order is on its way'), template: true } as const;
    t.match(thread.do('checkSend', template), { allowed: true, serviceWindow: { open: false } });
    thread.do('send', { ...template, author: key });
    thread.receive();
    t.ok(thread.send(key, 'x'.repeat(4_096)));
    const long = 'x'.repeat(4_097);
    t.match(refusal(() => thread.send(key, long)).details, { maxLength: 4_096 });
    const reason = 'svc/validation/invalid_request';
    t.match(thread.do('checkSend', { ...tenancy, message: message(long) }), { allowed: false, reason });
    const custom = new ThreadHarness('custom');
    custom.create();
    t.ok(custom.send(key, long));
  },
);

const update = (thread: ThreadHarness, changes: object) =>
  JSON.parse(thread.do('update', { ...tenancy, changes, author: human })) as Record<string, unknown>;

t.test('moves of the status', async t => {
  const thread = new ThreadHarness();
  thread.create();
  t.equal(update(thread, { status: 'closed' }).status, 'closed');
  t.equal(update(thread, { status: 'open' }).status, 'open');
  const archived = update(thread, { status: 'archived' });
  t.equal(archived.archivedAt, new Date(thread.now).toISOString());
  t.equal(refusal(() => update(thread, { status: 'closed' })).code, 'svc/runtime/conflict');
  t.match(update(thread, { status: 'open' }), { status: 'open', archivedAt: null });
  t.strictSame(
    thread.events.slice(1).map(({ data }) => [data.previousStatus, data.thread?.status]),
    [
      ['open', 'closed'],
      ['closed', 'open'],
      ['open', 'archived'],
      ['archived', 'open'],
    ],
  );
});

t.test('an update without a change has no event and leaves the state', async t => {
  const thread = new ThreadHarness();
  thread.create();
  update(thread, {
    status: 'closed',
    tags: ['vip', 'b'],
    customFields: { a: 1, b: 2 },
    agentMode: 'auto',
  });
  const before = thread.state;
  const seen = thread.events.length;
  thread.now += 1000;
  const answer = update(thread, {
    status: 'closed',
    tags: ['vip', 'b', 'vip'],
    customFields: { b: 2, c: null },
    agentMode: 'auto',
    agentId: null,
  });
  t.equal(thread.state, before);
  t.equal(thread.events.length, seen);
  t.equal(answer.updatedAt, before.updatedAt);
});

t.test('custom fields and metadata are merged, and null takes a name away', async t => {
  const thread = new ThreadHarness();
  thread.create();
  update(thread, {
    customFields: { plan: 'gold', seats: 3 },
    metadata: { order: { id: 'A-1', open: true } },
  });
  update(thread, { customFields: { seats: null }, metadata: { order: { open: null }, city: 'Oslo' } });
  t.match(thread.names(1), ['thread.lifecycle.updated', 'thread.lifecycle.updated']);
  t.strictSame(thread.state.customFields, { plan: 'gold' });
  t.strictSame(thread.state.metadata, { order: { id: 'A-1' }, city: 'Oslo' });
  const before = thread.state;
  update(thread, { customFields: { seats: null }, metadata: { city: 'Oslo' } });
  t.equal(thread.state, before, 'the same as before is no change');
  update(thread, { metadata: { large: 'x'.repeat(9_000) } });
  const grow = () => update(thread, { metadata: { larger: 'x'.repeat(9_000) } });
  t.match(refusal(grow), {
    code: 'svc/validation/invalid_request',
    details: { issues: [{ path: '/body/metadata' }] },
  });
});

t.test('a message from a human reopens a closed thread, one from a program does not', async t => {
  const thread = new ThreadHarness();
  thread.create();
  update(thread, { status: 'closed' });
  thread.send(key);
  t.equal(thread.state.status, 'closed');
  thread.send(human);
  t.equal(thread.state.status, 'open');
  t.equal(thread.names().filter(name => name === 'thread.status.changed').length, 2);
});

t.test("another tenant's thread is not there, and neither is one that was never made", async t => {
  const thread = new ThreadHarness();
  const payload = { message: message('x'), author: key };
  t.equal(refusal(() => thread.do('send', { ...tenancy, ...payload })).code, 'svc/runtime/not_found');
  thread.create();
  for (const other of [
    { ...tenancy, projectId: newId('project') },
    { ...tenancy, environmentId: newId('environment') },
  ]) {
    t.equal(refusal(() => thread.do('send', { ...other, ...payload })).code, 'svc/runtime/not_found');
    t.equal(refusal(() => thread.do('checkSend', other)).code, 'svc/runtime/not_found');
    t.equal(
      refusal(() => thread.do('update', { ...other, changes: { status: 'closed' }, author: key })).code,
      'svc/runtime/not_found',
    );
    const create = { channel: null, externalRef: null, metadata: {}, author: key };
    t.equal(refusal(() => thread.do('create', { ...other, ...create })).code, 'svc/runtime/not_found');
  }
});

t.test('an inbound message for a thread by its id has to come by its channel', async t => {
  const thread = new ThreadHarness();
  const channel = { channelId: thread.channelId, kind: 'custom' as const };
  const inbound = (id: string) =>
    thread.do('receive', { ...tenancy, channel: { ...channel, channelId: id }, message: message('x') });
  t.equal(refusal(() => inbound(thread.channelId)).code, 'svc/runtime/not_found');
  thread.create();
  t.equal(refusal(() => inbound(newId('channel'))).code, 'svc/runtime/not_found');
  inbound(thread.channelId);
  t.equal(thread.names().at(-1), 'thread.message.received');
});

t.test('the answer is kept under the key of its request, as the message of its event', async t => {
  const thread = new ThreadHarness();
  const keyed = { keyHash: 'aGFzaA==', fingerprint: 'cHJpbnQ=' };
  thread.create();
  const text = thread.do('send', { ...tenancy, message: message('x'), author: key, key: keyed });
  const kept = thread.writes.find(write => write.statement.name === 'idempotency.remember');
  const event = thread.events.find(({ eventName }) => eventName === 'thread.message.created');
  t.strictSame(kept?.values, ['aGFzaA==', 'cHJpbnQ=', null, event?.eventId]);
  t.strictSame((event?.data as { message: unknown }).message, JSON.parse(text));
});
