/** A program that opens every link of a mail, as scanners do before people get it: it changes nothing, and uses no link up. */
import t from 'tap';
import { Client, Line } from '../node/client.ts';
import { signUp } from '../node/tenant.ts';
import { startTestDatabase } from '../support/database.ts';
import { findToken, readMail } from '../support/mailbox.ts';
import { NodeProcess } from '../support/node-process.ts';

const { url } = await startTestDatabase(t);
const node = await NodeProcess.make(t, { DATABASE_URL: url, LOG_LEVEL: 'info' });
await node.start();
const line = new Line(node.url, t);

t.test('the links of a verification mail are opened, with their tokens sent in every way', async t => {
  const tenant = await signUp(line);
  const mail = await readMail(node, tenant.email, 'verify');
  const token = findToken(mail, 'verify');
  const links = mail.match(/http\S+\/studio\/\S+/g) ?? [];
  t.equal(links.length, 2, 'one to confirm, one to remove the account');
  for (const link of [
    ...links,
    ...['reset', 'join'].map(page => `${node.url}/studio/${page}#token=${token}`),
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
  t.equal((await new Client(line).ask('verifyEmail', { body })).status, 200, 'its reader still can');
  t.match(await tenant.person.get('me'), { emailVerified: true });
});
