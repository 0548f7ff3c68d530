/** Receivers as bad as real ones are, and what a customer sees of it over REST: deliveries, attempts, the stitch, the mail. */
import t from 'tap';
import type { DeliveryAttempt, WebhookDelivery } from '../../protocol/resources/delivery.ts';
import type { Message } from '../../protocol/resources/message.ts';
import type { Stitch } from '../../protocol/resources/stitch.ts';
import { startTestDatabase } from '../support/database.ts';
import { NodeProcess } from '../support/node-process.ts';
import { answer, hasValidSignature, Receiver, silence, type Behaviour } from '../support/receiver.ts';
import { Line } from './client.ts';
import { eventually } from '../support/eventually.ts';
import { keepsSecrets } from './secrets.ts';
import { newStitch, signUp, verifyEmail, type Tenant } from './tenant.ts';

const { url } = await startTestDatabase(t);
const node = await NodeProcess.make(t, { DATABASE_URL: url, ALLOW_PRIVATE_ADDRESSES: 'true' });
await node.start();
const line = new Line(node.url, t);

/** A tenant with a stitch at a receiver of its own; its events are those of messages alone. */
class Fixture {
  readonly tenant: Tenant;
  readonly receiver: Receiver;
  readonly stitchId: string;
  readonly secret: string;

  private constructor(tenant: Tenant, receiver: Receiver, stitch: { stitchId: string; secret: string }) {
    this.tenant = tenant;
    this.receiver = receiver;
    this.stitchId = stitch.stitchId;
    this.secret = stitch.secret;
  }

  static async set(
    t: { teardown(handler: () => Promise<void>): unknown },
    behaviour: Behaviour,
  ): Promise<Fixture> {
    const receiver = await Receiver.start();
    t.teardown(() => receiver.stop());
    receiver.behaviour = behaviour;
    const tenant = await signUp(line);
    return new Fixture(
      tenant,
      receiver,
      await newStitch(tenant, receiver.url(), ['thread.message.received']),
    );
  }

  async say(participant: string, text: string): Promise<Message> {
    const { key, projectId, channelId } = this.tenant;
    const body = { projectId, externalParticipantRef: participant, body: text };
    return key.get<Message>('createInboundMessage', { params: { channelId }, body });
  }

  stitch(): Promise<Stitch> {
    return this.tenant.key.get<Stitch>('getStitch', { params: { stitchId: this.stitchId } });
  }

  /** The oldest first. */
  async deliveries(): Promise<WebhookDelivery[]> {
    const { key, projectId } = this.tenant;
    const found = await key.all<WebhookDelivery>('listDeliveries', {
      query: { projectId, stitchId: this.stitchId },
    });
    return found.reverse();
  }

  /** Resolves when the deliveries have these statuses, the oldest first. */
  async until(...statuses: readonly string[]): Promise<WebhookDelivery[]> {
    let found: WebhookDelivery[] = [];
    await eventually(`deliveries ${statuses.join()}`, async () => {
      found = await this.deliveries();
      return found.map(({ status }) => status).join() === statuses.join();
    });
    return found;
  }

  attempts(delivery: WebhookDelivery | undefined): Promise<DeliveryAttempt[]> {
    const params = { deliveryId: delivery?.deliveryId ?? '' };
    return this.tenant.key.all<DeliveryAttempt>('listDeliveryAttempts', { params });
  }
}

/** What the receiver heard, message by message. */
function heard({ receiver }: Fixture): string[] {
  return receiver.received.map(
    ({ body }) => (JSON.parse(body) as { data: { message: Message } }).data.message.body,
  );
}

// They wait for clocks, not for the machine: all at once.
t.test('receivers', { jobs: 8 }, async t => {
  t.test(
    'a receiver that was down is tried again after five seconds, with the same bytes, and in order',
    { buffered: true },
    async t => {
      const fixture = await Fixture.set(t, answer(204));
      const { port } = fixture.receiver;
      await fixture.receiver.stop();
      await fixture.say('ada', 'one');
      await fixture.say('ada', 'two');
      const [first, second] = await fixture.until('retrying', 'pending');
      t.match(first, { attemptCount: 1, responseStatus: null, lastError: /refused/ });
      t.match(second, { attemptCount: 0, lastError: null }, 'what comes after it in the thread waits');
      const wait = Date.parse(first?.nextAttemptAt ?? '') - Date.parse(first?.lastAttemptAt ?? '');
      // From the beginning of the attempt, which takes as long as the machine lets it.
      t.ok(wait >= 4_000, `5 s with a fifth of jitter: ${wait} ms`);
      const back = await Receiver.start({ port });
      t.teardown(() => back.stop());
      await back.arrived(2);
      const [delivered] = await fixture.until('delivered', 'delivered');
      t.match(await fixture.attempts(delivered), [
        {
          number: 1,
          trigger: 'scheduled',
          errorClass: 'connect',
          responseStatus: null,
          nextAttemptAt: first?.nextAttemptAt,
        },
        { number: 2, trigger: 'scheduled', errorClass: null, responseStatus: 204, nextAttemptAt: null },
      ]);
      t.match(await fixture.stitch(), { status: 'active' });
      const sequences = back.received.map(
        ({ body }) => (JSON.parse(body) as { data: { sequence: number } }).data.sequence,
      );
      t.same(
        sequences,
        sequences.toSorted((a, b) => a - b),
      );
      t.ok(back.received.every(received => hasValidSignature(received, fixture.secret)));
    },
  );

  t.test(
    'a receiver that never answers times out after 15 seconds; other threads and stitches go on',
    { buffered: true },
    async t => {
      const fixture = await Fixture.set(t, silence);
      const other = await Receiver.start();
      t.teardown(() => other.stop());
      await newStitch(fixture.tenant, other.url(), ['thread.message.received']);
      await fixture.say('ada', 'one');
      await fixture.say('ada', 'two');
      await fixture.say('bob', 'three');
      await fixture.receiver.arrived(2);
      t.same(heard(fixture).toSorted(), ['one', 'three'], 'one in flight for each thread');
      await fixture.until('delivering', 'pending', 'delivering');
      await other.arrived(3);
      t.same(
        (await fixture.deliveries()).map(({ status }) => status),
        ['delivering', 'pending', 'delivering'],
      );
      const [late] = await fixture.until('retrying', 'pending', 'retrying');
      t.match(await fixture.attempts(late), [
        { number: 1, errorClass: 'timeout', responseStatus: null, responseBody: null },
      ]);
      const [attempt] = await fixture.attempts(late);
      t.ok(
        (attempt?.durationMs ?? 0) >= 14_900 && (attempt?.durationMs ?? 0) < 20_000,
        `${attempt?.durationMs} ms`,
      );
    },
  );

  t.test('a slow receiver gets its events in order', { buffered: true }, async t => {
    const waiting: (() => void)[] = [];
    const fixture = await Fixture.set(t, (request, response) =>
      waiting.push(() => answer(200)(request, response)),
    );
    for (const text of ['one', 'two', 'three']) await fixture.say('ada', text);
    for (let count = 1; count <= 3; count++) {
      await fixture.receiver.arrived(count);
      t.equal(fixture.receiver.received.length, count, 'the next comes after the answer');
      waiting.shift()?.();
    }
    await fixture.until('delivered', 'delivered', 'delivered');
    t.same(heard(fixture), ['one', 'two', 'three']);
  });

  t.test('a redirect is a failure, and is not followed', { buffered: true }, async t => {
    const elsewhere = await Receiver.start();
    t.teardown(() => elsewhere.stop());
    const fixture = await Fixture.set(t, answer(302, { location: elsewhere.url() }, 'over there'));
    await fixture.say('ada', 'one');
    const [delivery] = await fixture.until('retrying');
    t.match(delivery, { responseStatus: 302, attemptCount: 1 });
    t.match(await fixture.attempts(delivery), [
      { number: 1, errorClass: 'http_status', responseStatus: 302, responseBody: 'over there' },
    ]);
    t.equal(elsewhere.connections, 0);
  });

  t.test('410 disables the stitch, tells its owner, and can be undone', { buffered: true }, async t => {
    const fixture = await Fixture.set(t, answer(410, {}, 'no more'));
    const { key, email, projectId } = fixture.tenant;
    await verifyEmail(node, line, email);
    const mail = node.said(({ to, subject }) => to === email && subject !== 'Confirm your e-mail address');
    await fixture.say('ada', 'one');
    await eventually('disabled stitch', async () => (await fixture.stitch()).status === 'disabled');
    const [failed] = await fixture.until('failed');
    t.match(failed, { responseStatus: 410, attemptCount: 1, nextAttemptAt: null });
    t.match(await mail, { to: email });
    await fixture.say('ada', 'two');
    t.equal((await fixture.deliveries()).length, 1, 'a disabled stitch gets nothing');

    fixture.receiver.behaviour = answer(204);
    const params = { stitchId: fixture.stitchId };
    t.match(await key.get('updateStitch', { params, body: { projectId, status: 'active' } }), {
      status: 'active',
    });
    await fixture.say('ada', 'three');
    await fixture.until('failed', 'delivered');
    const again = { params: { deliveryId: failed?.deliveryId ?? '' }, body: { projectId } };
    t.match(await key.get('replayDelivery', again), { trigger: 'manual', eventId: failed?.eventId });
    await fixture.receiver.arrived(3);
    t.same(heard(fixture), ['one', 'three', 'one']);
    const [first, , replayed] = fixture.receiver.received;
    t.equal(replayed?.body, first?.body, 'the same bytes');
  });

  t.test('Retry-After sets the time of the next attempt', { buffered: true }, async t => {
    const fixture = await Fixture.set(t, answer(503, { 'retry-after': '8' }));
    await fixture.say('ada', 'one');
    const [delivery] = await fixture.until('retrying');
    const wait = Date.parse(delivery?.nextAttemptAt ?? '') - Date.parse(delivery?.lastAttemptAt ?? '');
    t.ok(wait >= 8_000 && wait <= 10_000, `${wait} ms`);
  });
});

t.test('the log shows no secret', async t => {
  t.same(
    node.lines.filter(({ level }) => level >= 50),
    [],
  );
  keepsSecrets(t, node.output, line);
});

t.test('an address that is no longer permitted is not called', async t => {
  const { url } = await startTestDatabase(t);
  const keys = {
    SECRET_KEYS: `a:${Buffer.alloc(32, 1).toString('base64')}`,
    TOKEN_KEYS: `a:${Buffer.alloc(32, 2).toString('base64')}`,
  };
  const open = await NodeProcess.make(t, { DATABASE_URL: url, ...keys, ALLOW_PRIVATE_ADDRESSES: 'true' });
  await open.start();
  const receiver = await Receiver.start();
  t.teardown(() => receiver.stop());
  const tenant = await signUp(new Line(open.url, t));
  const named = await newStitch(tenant, receiver.url('/', 'localhost'), ['thread.message.received']);
  const plain = await newStitch(tenant, receiver.url(), ['thread.message.received']);
  t.same(await open.stop(), { code: 0, signal: null });

  const { PORT, DATA_DIR } = { PORT: String(open.port), DATA_DIR: open.folder };
  const shut = await NodeProcess.make(t, {
    DATABASE_URL: url,
    ...keys,
    PORT,
    DATA_DIR,
    ALLOW_PRIVATE_ADDRESSES: 'false',
  });
  await shut.start();
  const { key, projectId, channelId } = tenant;
  const body = { projectId, externalParticipantRef: 'ada', body: 'hello' };
  await key.get('createInboundMessage', { params: { channelId }, body });
  for (const { stitchId } of [named, plain]) {
    const query = { projectId, stitchId };
    let found: WebhookDelivery[] = [];
    await eventually('refused delivery', async () => {
      found = await key.all<WebhookDelivery>('listDeliveries', { query });
      return found.some(({ status }) => status === 'retrying');
    });
    const params = { deliveryId: found[0]?.deliveryId ?? '' };
    const attempts = await key.all<DeliveryAttempt>('listDeliveryAttempts', { params });
    t.match(attempts, [{ errorClass: 'blocked_address', responseStatus: null, responseBody: null }]);
  }
  t.equal(receiver.connections, 0, 'nobody called');
});
