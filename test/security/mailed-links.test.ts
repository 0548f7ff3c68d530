/** Mail scanners open every link before the reader does. That changes nothing and does not use up a link. */
import t from 'tap';
import { findToken, readMail } from '../support/mailbox.ts';
import { shareSkein } from '../support/skein.ts';

const skein = await shareSkein(t);

t.test('the links of a verification mail are opened, with their tokens sent in every way', async t => {
  const tenant = await skein.tenant();
  const mail = await readMail(skein.log, tenant.email, 'verify');
  const token = findToken(mail, 'verify');
  const links = mail.match(/http\S+\/studio\/\S+/g) ?? [];
  t.equal(links.length, 2, 'one to confirm, one to remove the account');
  for (const link of [
    ...links,
    ...['reset', 'join'].map(page => `${skein.url}/studio/${page}#token=${token}`),
  ]) {
    for (const address of [link, link.replace('#', '?')]) {
      for (const method of ['HEAD', 'GET']) {
        const answer = await fetch(address, { method });
        t.equal(answer.status, 200, `${method} ${new URL(address).pathname}`);
        t.same(answer.headers.getSetCookie(), []);
        t.notMatch(await answer.text(), token, 'the page does not repeat it');
      }
    }
  }
  t.match(
    await tenant.person.get('me'),
    { emailVerified: false },
    'nothing is confirmed, and nothing removed',
  );
  const body = { token };
  t.equal((await skein.client().ask('verifyEmail', { body })).status, 200, 'its reader still can');
  t.match(await tenant.person.get('me'), { emailVerified: true });
});
