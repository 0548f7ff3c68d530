/** The contract's own operations. */
import t from 'tap';
import { EventEnvelope, EnvelopeExample } from '../../../protocol/resources/event.ts';
import { matchesSchema } from '../../../protocol/validate.ts';
import { apiVersion } from '../../../protocol/version.ts';
import { shareSkein } from '../../support/skein.ts';

t.test('the contract is served as it is, and may be cached', async t => {
  const { url } = await shareSkein(t);
  const answer = await fetch(`${url}/v1/openapi.json`);
  t.equal(answer.status, 200);
  t.match(answer.headers.get('cache-control'), /max-age/);
  t.match(await answer.json(), {
    openapi: '3.1.0',
    info: { version: apiVersion },
    servers: [{ url: `${url}/v1` }],
  });

  const etag = answer.headers.get('etag') ?? '';
  t.match(etag, /^"[^"]+-gzip"$/);
  t.match(Object.fromEntries(answer.headers), { 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
  const known = await fetch(`${url}/v1/openapi.json`, { headers: { 'if-none-match': `"old", ${etag}` } });
  t.strictSame([known.status, await known.text(), known.headers.get('etag')], [304, '', etag]);
  const plain = await fetch(`${url}/v1/openapi.json`, { headers: { 'accept-encoding': 'gzip;q=0' } });
  t.equal(plain.headers.get('content-encoding'), null);
  t.not(plain.headers.get('etag'), etag, 'other bytes, another tag');
  t.match(await plain.json(), { openapi: '3.1.0' });

  for (const path of ['/_internal/schemas/event-envelope', '/v1/_internal/schemas/event-envelope']) {
    const example = await fetch(url + path);
    t.equal(example.status, 501, path);
    const body = await example.json();
    t.ok(matchesSchema(EnvelopeExample, body), 'the error and the envelope in one');
    const { eventId, eventName, occurredAt, apiVersion, projectId, data } = body as EnvelopeExample;
    t.ok(matchesSchema(EventEnvelope, { eventId, eventName, occurredAt, apiVersion, projectId, data }));
    t.equal((body as EnvelopeExample).requestId, example.headers.get('x-request-id'));
  }
});
