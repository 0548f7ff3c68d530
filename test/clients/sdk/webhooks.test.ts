/** Deliveries: what the server signs verifies here, and nothing else does. */
import t from 'tap';
import {
  constructEvent,
  parseSignature,
  signBody,
  SignatureError,
  verifySignature,
} from '../../../clients/sdk/webhooks.ts';
import {
  newStitchSecret,
  signedBody,
  signService,
  verifyService,
  verifyStandard,
} from '../../../protocol/signature.ts';
import fc from '../../support/fuzz.ts';
import { rejection } from './scripted-fetch.ts';

const secret = newStitchSecret();
const at = 1_795_354_167;
const now = at * 1000;
const event = {
  eventId: 'evt_1',
  eventName: 'thread.message.received',
  data: { message: { body: 'Grüße 🙂' } },
};
const body = JSON.stringify(event);
const header = signService([secret], at, body);
const rejectionReason = async (work: Promise<unknown>): Promise<string | undefined> => {
  const error = await rejection(work);
  return error instanceof SignatureError ? error.reason : String(error);
};

t.test('what the server signs verifies, as text and as bytes; one changed byte does not', async t => {
  const property = fc.asyncProperty(
    fc.string({ unit: 'grapheme', minLength: 1 }),
    fc.nat({ max: 4_000_000_000 }),
    fc.nat(),
    async (text, timestamp, position) => {
      const bytes = new TextEncoder().encode(text);
      const signed = signService([secret], timestamp, text);
      const options = { now: timestamp * 1000 };
      await verifySignature(secret, signed, text, options);
      await verifySignature(secret, signed, bytes, options);
      const changed = Uint8Array.from(bytes);
      changed[position % changed.length]! ^= 1;
      return (await rejectionReason(verifySignature(secret, signed, changed, options))) === 'mismatch';
    },
  );
  await fc.assert(property);
  t.pass('for any body');
});

t.test('while a secret is rotated, the old one and the new one verify', async t => {
  const next = newStitchSecret();
  const both = signService([next, secret], at, body);
  for (const each of [next, secret]) await verifySignature(each, both, body, { now });
  t.equal(await rejectionReason(verifySignature(newStitchSecret(), both, body, { now })), 'mismatch');
});

t.test('a clock that is five minutes off is allowed, one that is ten minutes off is not', async t => {
  for (const seconds of [-300, 300])
    await verifySignature(secret, header, body, { now: now + seconds * 1000 });
  for (const seconds of [-600, -301, 301, 600]) {
    const options = { now: now + seconds * 1000 };
    t.equal(await rejectionReason(verifySignature(secret, header, body, options)), 'timestamp');
    await verifySignature(secret, header, body, { ...options, toleranceSeconds: 600 });
  }
  const ahead = await rejection(verifySignature(secret, header, body, { now: now - 600_000 }));
  t.equal(ahead.message, 'signed 600 s ahead of this clock, and 300 s are allowed');
  t.equal(
    await rejectionReason(verifySignature(secret, header, body)),
    'timestamp',
    'against the clock of today',
  );
});

t.test('headers that are none', async t => {
  for (const none of [null, undefined, '']) {
    t.equal(await rejectionReason(verifySignature(secret, none, body)), 'missing');
  }
  const [time = '', signature = ''] = header.split(',');
  for (const bad of [
    'x',
    time,
    signature,
    `${time},v1=00`,
    `${time},${time},${signature}`,
    `t=x,${signature}`,
    `${time},v1`,
  ]) {
    t.throws(
      () => parseSignature(bad),
      { name: 'SignatureError', reason: 'malformed', kind: 'signature' },
      bad,
    );
  }
  t.strictSame(parseSignature(` ${time} , v0=x,${signature},v2=y`), {
    timestamp: at,
    signatures: [signature.slice('v1='.length)],
  });
});

t.test('a body that was parsed is refused by name', async t => {
  const parsed = JSON.parse(body) as string;
  const error = await rejection(
    constructEvent(secret, { headers: { 'service-signature': header }, body: parsed }),
  );
  t.match(error, { name: 'TypeError', message: /the raw body is needed/ });
});

t.test('constructEvent takes a Request, and headers with a raw body', async t => {
  const headers = { 'Service-Signature': header };
  const request = new Request('http://handler.test', { method: 'POST', headers, body });
  t.strictSame(await constructEvent(secret, request, { now }), event);
  const bytes = new TextEncoder().encode(body);
  for (const delivery of [
    { headers: new Headers(headers), body },
    { headers: { 'service-signature': header }, body: bytes },
    { headers: { 'Service-Signature': [header] }, body: Buffer.from(bytes) },
  ]) {
    t.strictSame(await constructEvent(secret, delivery, { now }), event);
  }
  t.equal(await rejectionReason(constructEvent(secret, { headers: {}, body })), 'missing');
});

t.test('a secret or a tolerance that an unset variable gives lets nothing through', async t => {
  for (const missing of ['', undefined] as string[])
    t.match(await rejection(constructEvent(missing, { headers: {}, body })), {
      message: /secret is missing/,
    });
  t.equal(
    await rejectionReason(verifySignature(secret, header, body, { toleranceSeconds: NaN })),
    'timestamp',
  );
});

t.test('an event that is newer than this package passes', async t => {
  const newer = JSON.stringify({ ...event, eventName: 'thread.mood.changed', feeling: 'glad' });
  const delivery = { headers: await signBody(secret, newer), body: newer };
  t.match(await constructEvent(secret, delivery), { eventName: 'thread.mood.changed', feeling: 'glad' });
});

t.test('signBody makes the headers that the server makes', async t => {
  const expected = signedBody([secret], 'evt_1', at, body).headers;
  const headers = await signBody(secret, body, { eventId: 'evt_1', timestamp: at, attempt: 2 });
  for (let index = 0; index < expected.length; index += 2) {
    t.equal(headers[expected[index]!.toLowerCase()], expected[index + 1], String(expected[index]));
  }
  t.match(headers, { 'service-event-id': 'evt_1', 'service-delivery-id': 'whd_1', 'service-attempt': '2' });
  const today = await signBody(secret, Buffer.from(body));
  t.ok(verifyService(secret, today['service-signature'] ?? '', body).ok);
  const standard = {
    id: 'evt_test',
    timestamp: today['webhook-timestamp'] ?? '',
    signature: today['webhook-signature'] ?? '',
  };
  t.ok(verifyStandard(secret, standard, body).ok);
});
