import t from 'tap';
import { EventEmitter, once } from 'node:events';
import { Registry } from 'prom-client';
import { MailMetrics } from '../../../gateway/mail/metrics.ts';
import { MailSender } from '../../../gateway/mail/sender.ts';
import type { MailTransport, OutgoingMail } from '../../../gateway/mail/transport.ts';
import { accountServices } from '../../support/accounts.ts';
import { startTestDatabase } from '../../support/database.ts';
import { ManualClock, settle } from '../stream/stream-fixture.ts';

const { database: db } = await startTestDatabase(t);
const { mails } = accountServices(db);
const minute = 60_000;

/** A post office that can be closed, and tells what it took. */
class PostOffice extends EventEmitter implements MailTransport {
  readonly taken: OutgoingMail[] = [];
  open = true;
  closed = false;
  refused = 0;
  /** What it says while it is closed. */
  refusal = new Error('550 closed');
  gate: Promise<void> | undefined;

  async send(mail: OutgoingMail): Promise<void> {
    this.emit('arrived', mail);
    await this.gate;
    if (!this.open) {
      this.refused += 1;
      throw this.refusal;
    }
    this.taken.push(mail);
  }

  close(): void {
    this.closed = true;
  }
}

/** A sender whose steps can be waited for: `sent` and `failed` when the row says so, `warned` when the log does. */
function bench() {
  const clock = new ManualClock();
  const office = new PostOffice();
  const steps = new EventEmitter();
  const registry = new Registry();
  const sender = new MailSender({
    mails: {
      claim: (now, limit) => mails.claim(now, limit),
      markSent: async (mailId, now) => {
        await mails.markSent(mailId, now);
        steps.emit('sent');
      },
      markFailed: async (mailId, error) => {
        await mails.markFailed(mailId, error);
        steps.emit('failed');
      },
    },
    transport: office,
    metrics: new MailMetrics(registry),
    clock,
    baseUrl: 'https://skein.test',
    log: { info: () => undefined, warn: () => steps.emit('warned') },
  });
  /** Resolves once that many mails are sent from now on. */
  const sent = (count = 1) =>
    new Promise<void>(resolve => {
      let seen = 0;
      steps.on('sent', () => {
        seen += 1;
        if (seen === count) resolve();
      });
    });
  /** The attempts by how they ended. */
  const count = async () => {
    const { values } = (await registry.getSingleMetric('skein_mails_total')?.get()) ?? { values: [] };
    return Object.fromEntries(values.map(({ labels, value }) => [labels['outcome'], value]));
  };
  return { office, steps, clock, sender, sent, count };
}

async function queue(recipient: string, now: number): Promise<void> {
  const mail = await mails.seal({
    kind: 'verify_email',
    recipient,
    secret: 'a-token',
    now: new Date(now),
    expiresAt: new Date(now + 24 * 60 * minute),
  });
  await db.em().transactional(em => {
    mails.queue(em, mail);
  });
}

t.beforeEach(() => db.query('delete from mails'));

t.test('what is there at the start is sent, as after a crash; what comes is sent when told', async t => {
  const { office, sent, clock, sender } = bench();
  await queue('before@example.com', clock.now());
  const first = sent();
  sender.wake();
  t.same(office.taken, [], 'not before the start');
  sender.start();
  await first;
  await queue('after@example.com', clock.now());
  const second = sent();
  sender.wake();
  await second;
  t.match(office.taken, [
    { to: 'before@example.com', link: 'https://skein.test/studio/verify#token=a-token' },
    { to: 'after@example.com', text: /\na-token\n/ },
  ]);
  await sender.drain();
  t.ok(office.closed);
});

t.test('a refused mail is tried again under the same id; attempts are counted by outcome', async t => {
  const { office, steps, sent, clock, sender, count } = bench();
  t.strictSame(
    await count(),
    { sent: 0, refused: 0, failed: 0 },
    'from the start, so that the first failure is one more',
  );
  office.open = false;
  const ids: string[] = [];
  office.on('arrived', (mail: OutgoingMail) => ids.push(mail.mailId));
  await queue('a@example.com', clock.now());
  const failure = once(steps, 'failed');
  sender.start();
  await failure;
  t.strictSame(await count(), { sent: 0, refused: 0, failed: 1 });
  office.refusal = Object.assign(new Error('no such user'), {
    code: 'EENVELOPE',
    command: 'RCPT TO',
    responseCode: 550,
  });
  await queue('mistyped@example.com', clock.now());
  const refusal = once(steps, 'failed');
  sender.wake();
  await refusal;
  t.strictSame(await count(), { sent: 0, refused: 1, failed: 1 });
  office.open = true;
  const both = sent(2);
  await clock.advance(minute);
  sender.wake();
  await both;
  t.strictSame(await count(), { sent: 2, refused: 1, failed: 1 });
  t.equal(ids.length, 4);
  t.equal(new Set(ids).size, 2);
  await sender.drain();
});

t.test('a wake during a pass is not lost, and a pass takes more mails than one step', async t => {
  const { office, sent, clock, sender } = bench();
  const { promise, resolve } = Promise.withResolvers<void>();
  office.gate = promise;
  await queue('first@example.com', clock.now());
  const arrived = once(office, 'arrived');
  const all = sent(26);
  sender.start();
  await arrived;
  for (let i = 0; i < 25; i++) await queue(`${i}@example.com`, clock.now());
  sender.wake();
  resolve();
  await all;
  t.equal(new Set(office.taken.map(mail => mail.to)).size, 26);
  await sender.drain();
});

t.test('drain waits for the mail under way, and nothing is sent after it', async t => {
  const { office, clock, sender } = bench();
  const { promise, resolve } = Promise.withResolvers<void>();
  office.gate = promise;
  await queue('a@example.com', clock.now());
  const arrived = once(office, 'arrived');
  sender.start();
  await arrived;
  let drained = false;
  const draining = sender.drain().then(() => (drained = true));
  await settle();
  t.equal(drained, false);
  resolve();
  await draining;
  t.equal(office.taken.length, 1);
  await queue('late@example.com', clock.now());
  sender.wake();
  sender.start();
  await clock.advance(minute);
  t.equal(office.taken.length, 1);
  await sender.drain();
});

t.test('a database that is away is asked again by the next scan', async t => {
  const { office, steps, sent, clock, sender } = bench();
  await queue('a@example.com', clock.now());
  await db.query('alter table mails rename to mails_away');
  const warned = once(steps, 'warned');
  sender.start();
  await warned;
  await db.query('alter table mails_away rename to mails');
  const success = sent();
  await clock.advance(30_000);
  await success;
  t.equal(office.taken.length, 1);
  await sender.drain();
});
