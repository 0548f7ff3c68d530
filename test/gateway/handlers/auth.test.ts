/** Sessions as a browser has them: opened, refreshed and closed. */
import t from 'tap';
import { shareSkein } from '../../support/skein.ts';
import { createPeople, invalidToken, newAddress, password } from './people.ts';

const skein = await shareSkein(t);
const { browser, signUp, verify } = createPeople(skein);

t.test('sign-up sets the refresh cookie, for the authentication paths alone', async t => {
  const client = browser();
  const email = newAddress();
  const { headers, body } = await client.ask('signUp', { body: { email, password } });
  t.match(body, { tokenType: 'Bearer', expiresIn: 900 });
  const [pair, ...attributes] = String(headers['set-cookie']).split('; ');
  t.match(pair, /^svc_refresh=[\w-]{22}\.[\w-]{43}$/);
  t.same(attributes.sort(), ['HttpOnly', 'Max-Age=1209600', 'Path=/v1/studio/auth', 'SameSite=Strict']);
  t.equal(headers['cache-control'], 'no-store');
  t.match(await client.get('me'), { email, emailVerified: false, workspaceRole: 'owner' });
  await verify({ email });
  t.match(await client.get('me'), { emailVerified: true }, 'at once');
});

t.test('a wrong password and an unknown address get the same answer', async t => {
  const { email } = await signUp();
  t.equal((await browser().logIn(email.toUpperCase())).status, 200);
  const wrong = await browser().logIn(email, `${password}!`);
  t.equal(wrong.status, 401);
  for (const address of [newAddress(), 'no address']) {
    const { status, headers, body } = await browser().logIn(address);
    t.same({ status, ...body, requestId: '' }, { status: 401, ...wrong.body, requestId: '' });
    t.equal(headers['set-cookie'], undefined);
  }
});

t.test('an old refresh cookie ends the session for the thief and the owner', async t => {
  const { browser: owner } = await signUp();
  const thief = browser();
  thief.cookie = owner.cookie;
  for (let i = 0; i < 2; i++) t.equal((await owner.ask('refresh')).status, 200);
  t.not(owner.cookie, thief.cookie);
  for (const each of [thief, owner]) t.match(await each.ask('refresh'), invalidToken);
  t.match(await owner.ask('me'), invalidToken, 'the access token at once');
});

t.test('logout ends the session by cookie or by token, and needs neither', async t => {
  for (const by of ['cookie', 'token'] as const) {
    const { browser: own } = await signUp();
    const { token, cookie } = own;
    own[by === 'cookie' ? 'token' : 'cookie'] = undefined;
    const { headers } = await own.ask('logout');
    t.equal(
      headers['set-cookie'],
      'svc_refresh=; Path=/v1/studio/auth; HttpOnly; SameSite=Strict; Max-Age=0',
    );
    Object.assign(own, { token, cookie });
    t.match(await own.ask('me'), invalidToken, by);
    t.match(await own.ask('refresh'), invalidToken, by);
  }
  const nobody = browser();
  Object.assign(nobody, { token: 'rubbish', cookie: 'svc_refresh=rubbish' });
  t.equal((await nobody.ask('logout')).status, 204);
});
