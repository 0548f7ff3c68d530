/** For whom authenticators sign, by the public address. */
import t from 'tap';
import {
  readCredentialId,
  readSignedChallenge,
  readUserHandle,
  toRelyingParty,
} from '../../../storage/accounts/webauthn.ts';

t.test('the relying party is the host of the public address', async t => {
  t.same(toRelyingParty('https://skein.example.com'), {
    id: 'skein.example.com',
    origin: 'https://skein.example.com',
  });
  t.same(toRelyingParty('http://localhost:8080'), { id: 'localhost', origin: 'http://localhost:8080' });
});

t.test('a loopback address goes by the name that browsers have passkeys for', async t => {
  for (const url of ['http://127.0.0.1:8080', 'http://127.1.2.3:8080', 'http://[::1]:8080']) {
    t.same(toRelyingParty(url), { id: 'localhost', origin: 'http://localhost:8080' }, url);
  }
  t.equal(toRelyingParty('http://192.0.2.1').id, '192.0.2.1');
});

t.test('what is no answer of a browser has neither challenge nor credential nor user', async t => {
  for (const response of [
    undefined,
    null,
    7,
    'text',
    [],
    {},
    { response: [] },
    { response: { clientDataJSON: 'bm8' } },
  ]) {
    t.equal(readSignedChallenge(response), undefined);
    t.equal(readCredentialId(response), undefined);
    t.equal(readUserHandle(response), undefined);
  }
});
