/** A chatapp channel is connected by attempts, of which one is under way at a time, and each ends. */
import t from 'tap';
import { toChatappStatus } from '../../../actors/channel/state.ts';
import { newId } from '../../../protocol/ids.ts';
import { key, refusal, start, tenancy } from '../thread/thread-harness.ts';
import { ChannelHarness } from './channel-harness.ts';

const partnerAppCredentialId = newId('partnerApp');
const act = {
  auditLogId: newId('audit'),
  author: key,
  origin: { requestId: newId('request'), address: '::1' },
};

const connection = {
  appId: '1',
  wabaId: '2',
  phoneNumberId: '3',
  displayPhoneNumber: '+1 555 0100',
  verifiedName: 'Acme',
  accessToken: 'sealed token',
  tokenExpiresAt: null,
};

const webhookUrl = 'http://skein.test/webhook';

class ChatappChannel extends ChannelHarness {
  constructor() {
    super();
    this.create('chatapp');
  }

  begin(attemptId = 'first', keyHash: string | null = null, pin = { pin: 'sealed pin', isPinGiven: false }) {
    const attempt = {
      attemptId,
      keyHash,
      partnerAppCredentialId,
      verifyToken: 'sealed verify token',
      ...pin,
    };
    return this.do('beginConnect', { ...tenancy, attempt, author: key, act });
  }

  complete(attemptId = 'first', isRegistered = true) {
    return this.do('completeConnect', {
      ...tenancy,
      attemptId,
      connection,
      isRegistered,
      webhookUrl,
      author: key,
    });
  }

  fail(attemptId = 'first', isRegistered = false) {
    const failure = { step: 'register_number', code: 133005, message: 'PIN mismatch' } as const;
    return this.do('failConnect', { ...tenancy, attemptId, isRegistered, failure, author: key });
  }

  disconnect() {
    return this.do('disconnect', { ...tenancy, webhookUrl, author: key, act });
  }

  get statements(): string[] {
    return this.writes.map(({ statement }) => statement.name);
  }

  get status() {
    return toChatappStatus(this.state, this.id, webhookUrl);
  }
}

t.test('an attempt begins, and completes', async t => {
  const channel = new ChatappChannel();
  channel.begin();
  t.match(channel.status, { status: 'connecting', phoneNumberId: null, partnerAppCredentialId: null });
  t.same(channel.statements, ['audit.insert', 'event.append', 'channel_change.insert', 'partner_app.use']);
  t.match(channel.remind, [{ key: 'connect', at: start + 60_000, command: 'expireConnect' }]);
  t.strictSame(channel.complete(), channel.status, 'the reply');
  t.match(channel.status, {
    status: 'connected',
    wabaId: '2',
    phoneNumberId: '3',
    displayPhoneNumber: '+1 555 0100',
    verifiedName: 'Acme',
    partnerAppCredentialId,
    tokenExpiresAt: null,
    connectedAt: new Date(start).toISOString(),
    error: null,
  });
  t.same(channel.forgotten, ['connect']);
  t.same(
    channel.events.map(({ eventName }) => eventName),
    ['channel.lifecycle.created', 'channel.status.changed', 'channel.status.changed'],
  );
});

t.test('an attempt that is over changes nothing', async t => {
  const channel = new ChatappChannel();
  channel.begin();
  channel.disconnect();
  t.equal(refusal(() => channel.complete()).code, 'svc/runtime/conflict');
  const before = channel.state;
  channel.fail();
  channel.do('expireConnect', { ...tenancy, attemptId: 'first' });
  t.equal(channel.state, before);
  t.equal(channel.status.status, 'disconnected');
});

t.test('one attempt at a time, and none while the channel is connected', async t => {
  const channel = new ChatappChannel();
  channel.begin();
  t.equal(refusal(() => channel.begin('second')).code, 'svc/runtime/conflict');
  t.throws(() => channel.begin('second'), { message: /being connected/ });
  channel.complete();
  t.throws(() => channel.begin('second'), { message: /disconnect it first/ });
});

t.test('the PIN is that with which the number was registered, whatever became of the attempt', async t => {
  const channel = new ChatappChannel();
  const kept = () => channel.state.chatapp?.pin;
  t.same(channel.begin('a'), { pin: 'sealed pin', phoneNumberId: null });
  channel.fail('a');
  t.equal(kept(), null, 'it was not registered');
  channel.begin('b');
  channel.fail('b', true);
  t.equal(kept(), 'sealed pin', 'a later step failed');
  t.match(channel.begin('c', null, { pin: 'a new one', isPinGiven: false }), { pin: 'sealed pin' });
  channel.complete('c', false);
  t.equal(kept(), 'sealed pin', 'the number was registered before');
  channel.disconnect();
  channel.do('settleDisconnect', tenancy);
  t.match(channel.begin('d', null, { pin: 'given', isPinGiven: true }), { pin: 'given' });
  channel.fail('d');
  t.equal(kept(), 'sealed pin', 'nobody has proved the given one');
  channel.begin('e', null, { pin: 'given', isPinGiven: true });
  channel.complete('e', true);
  t.equal(kept(), 'given');
});

t.test('an attempt whose node has gone may have registered the number', async t => {
  const channel = new ChatappChannel();
  channel.begin('a');
  channel.do('expireConnect', { ...tenancy, attemptId: 'a' });
  t.equal(channel.state.chatapp?.pin, 'sealed pin');
});

t.test('an attempt holds its number', async t => {
  const channel = new ChatappChannel();
  channel.begin('a');
  channel.do('reserveNumber', { ...tenancy, attemptId: 'a', phoneNumberId: '7' });
  t.equal(channel.state.chatapp?.attempt?.phoneNumberId, '7');
  channel.fail('a');
  t.throws(() => channel.do('reserveNumber', { ...tenancy, attemptId: 'a', phoneNumberId: '7' }), {
    message: /was ended/,
  });
});

t.test('after a disconnection no attempt begins until the provider was told, or nobody tells it', async t => {
  const channel = new ChatappChannel();
  const end = (): void => {
    channel.begin();
    channel.complete();
    channel.disconnect();
  };
  end();
  t.throws(() => channel.begin(), { message: /being disconnected/ });
  channel.do('settleDisconnect', tenancy);
  end();
  channel.now += 14_999;
  t.throws(() => channel.begin());
  channel.now++;
  channel.begin();
  channel.disconnect();
  channel.begin('second');
  t.equal(channel.status.status, 'connecting', 'of an attempt there is nothing to tell');
});

t.test('other channels are always connected, and those of other tenants are not there', async t => {
  const custom = new ChannelHarness();
  custom.create('custom');
  const attempt = {
    attemptId: 'first',
    keyHash: null,
    partnerAppCredentialId: null,
    verifyToken: '',
    pin: '',
    isPinGiven: false,
  };
  const begin = { ...tenancy, attempt, author: key };
  t.equal(refusal(() => custom.do('beginConnect', begin)).code, 'svc/runtime/conflict');
  t.equal(
    refusal(() => custom.do('disconnect', { ...tenancy, webhookUrl, author: key })).code,
    'svc/runtime/conflict',
  );
  const foreign = { ...begin, projectId: newId('project') };
  t.equal(refusal(() => new ChatappChannel().do('beginConnect', foreign)).code, 'svc/runtime/not_found');
});

t.test(
  'a repetition during the attempt is told that it is in progress, and another request that there is one',
  async t => {
    const channel = new ChatappChannel();
    channel.begin('first', 'one');
    t.equal(refusal(() => channel.begin('second', 'one')).code, 'svc/runtime/idempotency_conflict');
    for (const other of ['two', null]) {
      t.equal(refusal(() => channel.begin('second', other)).code, 'svc/runtime/conflict');
    }
  },
);
