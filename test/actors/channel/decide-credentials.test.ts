/** A connected channel looks after its token: when it looks, what it says, and what it loses. */
import t from 'tap';
import { start, tenancy } from '../thread/thread-harness.ts';
import { ChannelHarness } from './channel-harness.ts';

const dayMs = 86_400_000;
const inDays = (days: number): string => new Date(start + days * dayMs).toISOString();

class ConnectedChannel extends ChannelHarness {
  constructor(tokenExpiresAt: string | null) {
    super();
    this.create('chatapp');
    const author = { type: 'system', id: null } as const;
    const attempt = {
      attemptId: 'a',
      keyHash: null,
      partnerAppCredentialId: null,
      verifyToken: 'sealed',
      pin: 'sealed',
      isPinGiven: false,
    };
    this.do('beginConnect', { ...tenancy, attempt, author });
    const connection = {
      appId: '1',
      wabaId: '2',
      phoneNumberId: '3',
      displayPhoneNumber: '+1 555 0100',
      verifiedName: 'Acme',
      accessToken: 'first',
      tokenExpiresAt,
    };
    const webhookUrl = 'http://skein.test/webhook';
    this.do('completeConnect', {
      ...tenancy,
      attemptId: 'a',
      connection,
      isRegistered: true,
      webhookUrl,
      author,
    });
  }

  seen(tokenExpiresAt: string | null, more: { accessToken?: string; renewed?: string } = {}) {
    this.do('credentialsSeen', { ...tenancy, accessToken: 'first', tokenExpiresAt, ...more });
  }

  lose(code: number | null, accessToken = 'first') {
    this.do('loseConnection', { ...tenancy, accessToken, failure: { code, message: 'No.' } });
  }

  /** When the next look is due, in days from the start. */
  get lookDueIn(): number | undefined {
    const at = this.remind.find(({ key }) => key === 'credentials')?.at;
    return at === undefined ? undefined : (at - start) / dayMs;
  }

  get notices(): readonly unknown[] {
    return this.remind.filter(({ command }) => command === 'tellOwners').map(({ payload }) => payload);
  }

  get names(): string[] {
    return this.events.map(({ eventName }) => eventName);
  }
}

t.test('it looks once a day, and at the moments at which there is something to say', async t => {
  for (const [expiresIn, expected] of [
    [null, 1],
    [60, 1],
    [7.5, 0.5],
    // Warned at once.
    [6, 0],
    [0.25, 0],
  ] as const) {
    const channel = new ConnectedChannel(expiresIn === null ? null : inDays(expiresIn));
    t.equal(channel.lookDueIn, expected, String(expiresIn));
  }
});

t.test('a look begins a task, and is made again where that is lost', async t => {
  const channel = new ConnectedChannel(null);
  channel.do('lookAtCredentials', {});
  t.match(channel.effects, [{ do: 'perform', task: 'lookAtCredentials' }]);
  t.equal(channel.lookDueIn, 1 / 24);
  channel.seen(null);
  t.equal(channel.lookDueIn, 1);
  channel.lose(190);
  channel.do('lookAtCredentials', {});
  t.same([channel.effects, channel.remind], [[], []], 'there is nothing to look at');
});

t.test('the owners are told seven days and one day before the end, once each', async t => {
  const channel = new ConnectedChannel(inDays(20));
  const end = inDays(20);
  const count = (): number => channel.names.filter(name => name === 'channel.credential.expiring').length;
  channel.now = start + 13 * dayMs - 1;
  channel.seen(end);
  t.equal(count(), 0);
  channel.now++;
  channel.seen(end);
  t.match(channel.notices, [{ reason: 'expiring', expiresAt: end, name: 'Main', channelId: channel.id }]);
  t.match(channel.events.at(-1), { data: { expiresAt: end, channel: { channelId: channel.id } } });
  channel.seen(end);
  t.same([count(), channel.notices], [1, []]);
  t.equal(channel.lookDueIn, 14);
  channel.now = start + 19 * dayMs;
  channel.seen(end);
  channel.seen(end);
  t.equal(count(), 2);
  t.equal(channel.lookDueIn, 20, 'and then at its end');
  channel.seen(inDays(80));
  channel.now = start + 75 * dayMs;
  channel.seen(inDays(80));
  t.equal(count(), 2, 'the same token, which lives longer: it was told of before');
});

t.test('a renewed token takes the place of the old one', async t => {
  const channel = new ConnectedChannel(inDays(5));
  channel.seen(inDays(60), { renewed: 'second' });
  t.match(channel.state.chatapp?.connection, { accessToken: 'second', tokenExpiresAt: inDays(60) });
  t.equal(channel.names.at(-1), 'channel.credential.renewed');
  t.same([channel.lookDueIn, channel.notices], [1, []]);
  channel.lose(190, 'first');
  t.equal(channel.state.status, 'connected', 'the old one is refused');
  channel.seen(null, { accessToken: 'first' });
  t.equal(channel.state.chatapp?.connection?.tokenExpiresAt, inDays(60), 'what was said of the old one');
});

t.test('a token that is refused: the channel is in error, and keeps what its webhooks need', async t => {
  const channel = new ConnectedChannel(inDays(3));
  channel.lose(190);
  t.equal(channel.state.status, 'error');
  t.match(channel.state.chatapp, {
    failure: { step: null, code: 190, message: 'No.' },
    connection: { wabaId: '2', phoneNumberId: '3' },
  });
  t.same(channel.names.slice(-2), ['channel.status.changed', 'channel.credential.expired']);
  t.match(channel.notices, [{ reason: 'expired', message: 'No.' }]);
  t.same(channel.forgotten, ['credentials']);
  const before = channel.events.length;
  channel.lose(190);
  t.equal(channel.events.length, before, 'once');
});

t.test('a connection that is lost for another reason says nothing of the token', async t => {
  const channel = new ConnectedChannel(null);
  channel.lose(null);
  t.equal(channel.state.status, 'error');
  t.equal(channel.names.at(-1), 'channel.status.changed');
  t.match(channel.notices, [{ reason: 'lost', expiresAt: null }]);
});

t.test('the status of a template is announced once, however often it is reported', async t => {
  const channel = new ConnectedChannel(null);
  const announce = (key: string): void => {
    const template = { id: '1', name: 'order_sent', language: 'en_US', status: 'REJECTED', components: [] };
    channel.do('announceTemplate', { ...tenancy, key, template, reason: 'INVALID_FORMAT' });
  };
  announce('first');
  t.match(channel.events.at(-1), {
    eventName: 'channel.template.status_changed',
    data: { template: { name: 'order_sent', status: 'REJECTED' }, reason: 'INVALID_FORMAT' },
  });
  announce('first');
  announce('second');
  announce('first');
  t.equal(channel.names.filter(name => name === 'channel.template.status_changed').length, 2);
  for (let n = 0; n < 60; n++) announce(`more ${n}`);
  t.equal(channel.state.chatapp?.templateChanges?.length, 50);
});
