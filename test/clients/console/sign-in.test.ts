/** Signing in to the Console, and out of it. */
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { startTestDatabase } from '../../support/database.ts';
import { startSkeinOn } from '../../support/skein-in-process.ts';
import { Skein } from '../../../clients/sdk/index.ts';

t.test('signs in', async t => {
  const { url } = await startTestDatabase(t);
  const node = await startSkeinOn(t, url);
  const anonymous = new Skein({ apiKey: null, baseUrl: node.url });
  await anonymous.auth.signUp({ email: 'ines@example.com', password: 'correct horse battery' });
  const browser = await startChromium(t);
  const page = await browser.newPage();
  await page.goto(`${node.url}/console`);
  await page.getByLabel('E-mail').fill('ines@example.com');
  await page.getByRole('textbox', { name: 'Password' }).fill('correct horse battery');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/console\/prj_/);
  t.match(page.url(), /mine/);
});
