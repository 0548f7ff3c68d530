/** Who sees what in Studio: viewers read, strangers find nothing, and a role that is gone ends what is shown. */
import t from 'tap';
import { Skein } from '../../../clients/sdk/index.ts';
import { startChromium } from '../../support/chromium.ts';
import { eventually } from '../../support/eventually.ts';
import {
  addOperator,
  expectNoBarriers,
  findBarriers,
  openConsole,
  startConsole,
} from '../console/console-page.ts';
import { openScreen, setStudioStage } from './screens.ts';

/** The owner also operates the service, so that all pages are there. */
const setting = await startConsole(t, { INSTANCE_ADMINS: 'operates@example.com' }, 'operates');
const { owner, projectId, environmentId, database } = setting;
await database.query('update users set email_verified_at = now() where user_id = $1', [owner.userId]);
// What is known of a session is held for a second.
await eventually('the address counts as verified', async () => {
  const { user } = await owner.api.caller.get();
  return user?.instanceAdmin === true;
});
const { screens, ofAdministrators, stitchId } = await setStudioStage(setting);
const browser = await startChromium(t);
const at = (rest: string): string => `/studio/${projectId}/${environmentId}${rest}`;

/** What changes something. */
const writes =
  /^(?:create|save|connect|disconnect|register|add a key|invite|archive|revoke|rotate|new secret|disable|send a test|call it|next version|use version|go back)/i;

t.test('each page, light and dark, keeps nobody out, and fits a phone', async t => {
  const page = await openConsole(t, browser, setting, owner, { path: at('') });
  for (const screen of screens) {
    const { path } = screen;
    await openScreen(page, setting.baseUrl, screen);
    await expectNoBarriers(t, page, `${path}`);
    await page.setViewportSize({ width: 390, height: 780 });
    t.notOk(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), `${path} on a phone`);
    await page.setViewportSize({ width: 1_280, height: 800 });
  }
});

t.test(
  'a viewer reads every page and finds nothing that changes it, and the API refuses it, too',
  async t => {
    const viewer = await addOperator(setting, 'viewer');
    const page = await openConsole(t, browser, setting, viewer, { path: at('') });
    for (const screen of screens) {
      const { path } = screen;
      if (ofAdministrators.includes(path)) continue;
      await openScreen(page, setting.baseUrl, screen);
      t.equal(await page.getByRole('main').getByRole('button', { name: writes }).count(), 0, path);
    }
    const status = await viewer.api.stitches.update(stitchId, { projectId, status: 'disabled' }).then(
      () => 200,
      (error: { status: number }) => error.status,
    );
    t.equal(status, 403);
  },
);

t.test('somebody of another workspace finds nothing at the address', async t => {
  const anonymous = new Skein({ apiKey: null, baseUrl: setting.baseUrl });
  const email = 'stranger@example.com';
  await anonymous.auth.signUp({ email, password: 'correct horse battery' });
  const page = await openConsole(t, browser, setting, { email }, { path: at('/keys') });
  await page.getByRole('heading', { name: 'There is no such project or environment.' }).waitFor();
  t.equal(await page.getByText('Test').count(), 0);
  t.strictSame(await findBarriers(page), []);
  await page.getByRole('link', { name: 'Go to another project' }).click();
  await page.getByText('of 6 done').waitFor();
});
