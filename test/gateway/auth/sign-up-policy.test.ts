import t from 'tap';
import { RefreshCookie } from '../../../gateway/auth/refresh-cookie.ts';
import { SignUpPolicy } from '../../../gateway/auth/sign-up-policy.ts';

t.test('the domain decides on sign-up, however it is written', async t => {
  const open = new SignUpPolicy({ open: true, emailDomains: [] });
  open.check('someone@example.com');
  open.check('someone@b\u00fccher.example');
  const notAllowed = { code: 'svc/auth/email_domain_not_allowed' };
  for (const email of [
    'a@mailinator.com',
    'a@MailInator.COM',
    'a@x.y.mailinator.com',
    'a@mailinator.com.',
    'a@',
  ]) {
    t.throws(() => open.check(email), notAllowed, email);
  }
  const some = new SignUpPolicy({ open: true, emailDomains: ['B\u00dcCHER.example', 'mailinator.com'] });
  some.check('a@xn--bcher-kva.example');
  some.check('"odd@local"@b\u00fccher.example');
  t.throws(() => some.check('a@example.com'), notAllowed);
  t.throws(() => some.check('a@evilb\u00fccher.example'), notAllowed);
  t.throws(() => some.check('a@mailinator.com'), notAllowed, 'a throw-away mailbox stays one');
  const closed = new SignUpPolicy({ open: false, emailDomains: [] });
  t.throws(() => closed.check('someone@example.com'), { code: 'svc/auth/signup_disabled' });
});

t.test('the refresh cookie goes by the public address', async t => {
  const plain = new RefreshCookie('http://127.0.0.1:8080');
  const secure = new RefreshCookie('https://api.example.com');
  t.equal(plain.set('v', 1999), 'svc_refresh=v; Path=/v1/studio/auth; HttpOnly; SameSite=Strict; Max-Age=1');
  t.equal(
    secure.set('v', 60_000),
    '__Secure-svc_refresh=v; Path=/v1/studio/auth; HttpOnly; Secure; SameSite=Strict; Max-Age=60',
  );
  t.match(secure.clear(), /^__Secure-svc_refresh=; .*Max-Age=0$/);
  t.match(secure.set('v', -5), /Max-Age=0$/);
});

t.test('who may send the cookie', async t => {
  const cookie = new RefreshCookie('https://api.example.com');
  const permits = (secFetchSite: string, origin: string, host = 'api.example.com') =>
    cookie.permits({ secFetchSite, origin, host });
  t.equal(permits('', ''), true, 'no browser');
  t.equal(permits('same-origin', 'https://api.example.com'), true);
  t.equal(permits('none', ''), true);
  t.equal(permits('cross-site', 'https://api.example.com'), false, 'Sec-Fetch-Site is the better witness');
  t.equal(permits('same-site', 'https://studio.example.com'), false);
  t.equal(permits('nonsense', ''), false);
  t.equal(permits('', 'https://api.example.com'), true);
  t.equal(permits('', 'https://evil.example'), false);
  t.equal(permits('', 'null'), false);
  t.equal(permits('', 'https://api.example.com.evil.example'), false);
  t.equal(permits('', 'http://localhost:8080', 'localhost:8080'), true, 'by another name of ours');
});
