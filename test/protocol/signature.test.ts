import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from '../support/fuzz.ts';
import t from 'tap';
import {
  newStitchSecret,
  signedBody,
  signService,
  signStandard,
  verifyRequest,
  verifyService,
  verifyStandard,
} from '../../protocol/signature.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const body = '{"test": 2432232314}';
const at = 1_614_265_330;
const now = at * 1000;

t.test('known values', async t => {
  // openssl dgst -sha256 -hmac <secret>, over "1614265330.<body>".
  t.equal(
    signService([secret], at, body),
    't=1614265330,v1=2e37df5d4a028c51a7f3133d64ae1e300d2c2c900f1b1d49d4369ad2530f8964',
  );
  // The example of the Standard Webhooks libraries.
  t.equal(
    signStandard([secret], 'msg_p5jXN8AQM9LWM0D4loKWxJek', at, body),
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  );
});

t.test('any body, as text or as bytes, is signed as an independent computation does it', async t => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(), (text, timestamp) => {
      const hex = createHmac('sha256', Buffer.from(secret, 'utf8'))
        .update(Buffer.from(`${timestamp}.${text}`, 'utf8'))
        .digest('hex');
      const base64 = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
        .update(Buffer.from(`evt_1.${timestamp}.${text}`, 'utf8'))
        .digest('base64');
      const bytes = Buffer.from(text, 'utf8');
      const { headers, body } = signedBody([secret, secret], 'evt_1', timestamp, text);
      t.strictSame(headers, [
        ...['Service-Signature', `t=${timestamp},v1=${hex},v1=${hex}`, 'webhook-id', 'evt_1'],
        ...['webhook-timestamp', String(timestamp), 'webhook-signature', `v1,${base64} v1,${base64}`],
      ]);
      return (
        body.equals(bytes) &&
        [text, bytes].every(
          body =>
            signService([secret], timestamp, body) === `t=${timestamp},v1=${hex}` &&
            signStandard([secret], 'evt_1', timestamp, body) === `v1,${base64}`,
        )
      );
    }),
  );
});

t.test('what is signed verifies, and any change to it does not', async () => {
  const aBody = fc.uint8Array({ minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(aBody, fc.nat(), fc.integer({ min: 1, max: 255 }), (bytes, index, flip) => {
      const own = newStitchSecret();
      const header = signService([own], at, bytes);
      const standard = {
        id: 'evt_1',
        timestamp: String(at),
        signature: signStandard([own], 'evt_1', at, bytes),
      };
      const changed = Uint8Array.from(bytes);
      const place = index % changed.length;
      changed[place] = (changed[place] ?? 0) ^ flip;
      return (
        verifyService(own, header, bytes, { now }).ok &&
        !verifyService(own, header, changed, { now }).ok &&
        !verifyService(newStitchSecret(), header, bytes, { now }).ok &&
        !verifyService(own, header.replace(`t=${at}`, `t=${at + 1}`), bytes, { now }).ok &&
        verifyStandard(own, standard, bytes, { now }).ok &&
        !verifyStandard(own, standard, changed, { now }).ok &&
        !verifyStandard(newStitchSecret(), standard, bytes, { now }).ok &&
        !verifyStandard(own, { ...standard, id: 'evt_2' }, bytes, { now }).ok &&
        !verifyStandard(own, { ...standard, timestamp: String(at + 1) }, bytes, { now }).ok
      );
    }),
  );
});

t.test('while a rotation overlaps both secrets verify, the newest first', async t => {
  const [newest, older, oldest] = [newStitchSecret(), newStitchSecret(), newStitchSecret()];
  const header = signService([newest, older], at, body);
  t.match(header, /^t=1614265330,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
  t.ok(header.startsWith(signService([newest], at, body)));
  t.strictSame(verifyService(newest, header, body, { now }), { ok: true, timestamp: at });
  t.strictSame(verifyService(older, header, body, { now }), { ok: true, timestamp: at });
  t.strictSame(verifyService(oldest, header, body, { now }), { ok: false, reason: 'mismatch' });

  const signature = signStandard([newest, older], 'evt_1', at, body);
  t.equal(
    signature,
    `${signStandard([newest], 'evt_1', at, body)} ${signStandard([older], 'evt_1', at, body)}`,
  );
  const headers = { id: 'evt_1', timestamp: String(at), signature };
  t.ok(verifyStandard(newest, headers, body, { now }).ok);
  t.ok(verifyStandard(older, headers, body, { now }).ok);
  t.notOk(verifyStandard(oldest, headers, body, { now }).ok);
});

t.test('a timestamp may be 300 seconds off, in either direction', async t => {
  const header = signService([secret], at, body);
  const headers = { id: 'a', timestamp: String(at), signature: signStandard([secret], 'a', at, body) };
  for (const [offset, ok] of [
    [0, true],
    [300, true],
    [-300, true],
    [300.001, false],
    [-300.001, false],
  ] as const) {
    const options = { now: now + offset * 1000 };
    t.equal(verifyService(secret, header, body, options).ok, ok, `${offset} s`);
    t.equal(verifyStandard(secret, headers, body, options).ok, ok, `${offset} s, Standard Webhooks`);
  }
  t.ok(verifyService(secret, header, body, { now: now + 900_000, toleranceSeconds: 900 }).ok);
  t.strictSame(verifyService(secret, header, body, { now: now + 301_000 }), {
    ok: false,
    reason: 'timestamp',
  });
  t.strictSame(
    verifyService(newStitchSecret(), header, body, { now: now + 301_000 }),
    { ok: false, reason: 'mismatch' },
    'a stranger does not learn about the clock',
  );
  t.notOk(verifyService(secret, header, body).ok, 'the present is the default clock');
});

t.test('headers that are none of ours', async t => {
  const hex = 'a'.repeat(64);
  for (const header of [
    '',
    't=1',
    `v1=${hex}`,
    `t=,v1=${hex}`,
    `t=-1,v1=${hex}`,
    `t=1.5,v1=${hex}`,
    `t=1e3,v1=${hex}`,
    `t=1,t=2,v1=${hex}`,
    `t=1,v1=${hex.slice(1)}`,
    `t=1,v1=${hex}0`,
    `t=1,v1=${hex.toUpperCase()}`,
    `t=1,v0=${hex}`,
    'nonsense',
  ]) {
    t.strictSame(verifyService(secret, header, body, { now }), { ok: false, reason: 'malformed' }, header);
  }
  const good = signStandard([secret], 'a', at, body);
  for (const headers of [
    { id: '', timestamp: String(at), signature: good },
    { id: 'a', timestamp: 'x', signature: good },
    { id: 'a', timestamp: String(at), signature: '' },
    { id: 'a', timestamp: String(at), signature: good.replace('v1,', 'v2,') },
  ]) {
    t.strictSame(verifyStandard(secret, headers, body, { now }), { ok: false, reason: 'malformed' });
  }
});

t.test('later schemes beside v1 are ignored', async t => {
  const header = signService([secret], at, body);
  t.ok(verifyService(secret, `${header},v2=abc`, body, { now }).ok);
  t.ok(verifyService(secret, header.replace(',', ', '), body, { now }).ok, 'and so is space');
  const signature = `v1a,abc ${signStandard([secret], 'a', at, body)}`;
  t.ok(verifyStandard(secret, { id: 'a', timestamp: String(at), signature }, body, { now }).ok);
});

t.test('a new secret has the form and the entropy that is promised', async t => {
  const secrets = Array.from({ length: 100 }, newStitchSecret);
  t.equal(new Set(secrets).size, 100);
  for (const made of secrets) {
    t.match(made, /^whsec_[A-Za-z0-9+/]{43}=$/);
    t.equal(Buffer.from(made.slice(6), 'base64').length, 32);
  }
});

const call = {
  method: 'GET',
  target: '/orders?id=7',
  headers: {
    'idempotency-key': 'run_1.1.1',
    'service-run-id': 'run_1',
    'service-participant-ref': 'Zo%C3%AB',
  } as Record<string, string | undefined>,
};
const signCall = (request = call, signed = body): string =>
  signedBody([secret], 'run_1.1.1', at, signed, request).headers[1] ?? '';

t.test('a known value of a whole request', async t => {
  // openssl dgst -sha256 -hmac <secret>, over the lines and the body.
  const text = `${at}\nGET\n/orders?id=7\nrun_1.1.1\nrun_1\n\nZo%C3%AB\n${body}`;
  const v2 = createHmac('sha256', secret).update(text).digest('hex');
  t.equal(signCall(), `${signService([secret], at, body)},v2=${v2}`);
  t.ok(verifyService(secret, signCall(), body, { now }).ok, 'who knows only v1 verifies that');
  t.same(verifyRequest(secret, signService([secret], at, body), call, body, { now }), {
    ok: false,
    reason: 'malformed',
  });
});

/** The verifier that the guide shows. */
async function readSnippet(): Promise<(...given: unknown[]) => boolean> {
  const guide = readFileSync(new URL('../../docs/guide/agents.md', import.meta.url), 'utf8');
  const [, source = ''] = /```js\n([^`]*export function isFromSkein[\s\S]*?)```/.exec(guide) ?? [];
  const url = `data:text/javascript,${encodeURIComponent(source)}`;
  return ((await import(url)) as { isFromSkein: (...given: unknown[]) => boolean }).isFromSkein;
}

t.test('the verifier of the guide takes what is signed, and nothing else', async t => {
  const isFromSkein = await readSnippet();
  const seconds = Math.floor(Date.now() / 1_000);
  const [, signature] = signedBody([secret], 'run_1.1.1', seconds, body, call).headers;
  const request = {
    method: 'GET',
    url: call.target,
    headers: { ...call.headers, 'service-signature': signature },
  };
  t.ok(isFromSkein(secret, request, body));
  for (const change of [
    { method: 'POST' },
    { url: '/orders?id=8' },
    { headers: { ...request.headers, 'service-participant-ref': 'Ada' } },
    { headers: { ...request.headers, 'service-thread-id': 'thread_1' } },
    { headers: { ...request.headers, 'service-signature': signService([secret], seconds, body) } },
    { headers: { ...request.headers, 'service-signature': undefined } },
  ]) {
    t.notOk(isFromSkein(secret, { ...request, ...change }, body), JSON.stringify(change));
  }
  t.notOk(isFromSkein('another', request, body));
  t.notOk(isFromSkein(secret, request, `${body} `));
  t.notOk(isFromSkein(secret, request, body, -1), 'too old');
});

t.test('no part of a request can be moved into its neighbour', async () => {
  const part = fc.string({ unit: fc.constantFrom('a', '/', ' ', '%', '.') });
  fc.assert(
    fc.property(fc.tuple(part, part, part, part), fc.tuple(part, part, part, part), (one, other) => {
      const make = ([target, key, run, text]: typeof one) => ({
        request: { method: 'GET', target, headers: { 'idempotency-key': key, 'service-run-id': run } },
        text,
      });
      const [a, b] = [make(one), make(other)];
      const header = signedBody([secret], 'id', at, a.text, a.request).headers[1] ?? '';
      const { ok } = verifyRequest(secret, header, b.request, b.text, { now });
      return ok === (JSON.stringify(one) === JSON.stringify(other));
    }),
  );
});
