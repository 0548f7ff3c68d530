/** What becomes of a page whose reader is taken out of the workspace, or out of a role, while they look at it. */
import t from 'tap';
import type { Page } from 'playwright-core';
import { startChromium } from '../../support/chromium.ts';
import { addOperator, findBarriers, openConsole, receive, shareConsole } from '../console/console-page.ts';

const setting = await shareConsole(t);
const { owner, skein, projectId, environmentId } = setting;
const { workspaceId } = await owner.api.projects.get(projectId);
await skein.stitches.create({ name: 'A shop of its own', webhookUrl: 'https://example.com/hook' });
await receive(setting, 'ada', 'Where is my order?');
const browser = await startChromium(t);
const at = (rest: string): string => `/studio/${projectId}/${environmentId}${rest}`;

const gone = (page: Page) => page.getByRole('heading', { name: 'There is no such project or environment.' });

t.test('a page that looks again by itself tells at once, and nothing of it stays', async t => {
  const viewer = await addOperator(setting, 'viewer');
  const page = await openConsole(t, browser, setting, viewer, { path: at('/events') });
  await page.getByRole('button', { name: 'thread.message.received' }).waitFor();
  await owner.api.members.remove(workspaceId, viewer.userId);
  await gone(page).waitFor();
  t.notOk((await page.content()).includes('thread.message.received'));
  t.equal(await page.getByRole('navigation').count(), 0);
  t.strictSame(await findBarriers(page), []);
  await page.getByRole('link', { name: 'Go to another project' }).click();
  await page.getByRole('heading', { name: 'You are not a member of any workspace' }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'You are not a member of any workspace' }).waitFor();
});

t.test('a page of which nothing is asked tells within half a minute', async t => {
  const viewer = await addOperator(setting, 'viewer');
  const page = await openConsole(t, browser, setting, viewer, { path: '/healthz' });
  await page.clock.install();
  await page.goto(`${setting.baseUrl}${at('/webhooks')}`);
  await page.getByRole('link', { name: 'A shop of its own' }).waitFor();
  let looks = 0;
  page.on('response', response => {
    if (response.url().endsWith('/v1/caller')) looks += 1;
  });
  /** Seconds of the page's clock until it has looked by itself. */
  const untilLook = async (): Promise<number> => {
    const before = looks;
    let seconds = 0;
    for (; looks === before; seconds++) await page.clock.runFor(1_000);
    return seconds;
  };
  await untilLook();
  t.equal(await gone(page).count(), 0, 'all is well');
  await owner.api.members.remove(workspaceId, viewer.userId);
  const waited = await untilLook();
  // The answer takes its time, in which the clock goes on.
  t.ok(waited <= 60, `${waited} s`);
  await gone(page).waitFor();
  t.notOk((await page.content()).includes('A shop of its own'));
});

t.test(
  'a developer whose role is taken away is refused, told so, and loses nothing that they typed',
  async t => {
    const developer = await addOperator(setting, 'viewer');
    await owner.api.projects.upsertMember(projectId, { userId: developer.userId, role: 'developer' });
    const page = await openConsole(t, browser, setting, developer, { path: at('/webhooks') });
    const create = page.getByRole('main').getByRole('button', { name: 'Create webhook' });
    await create.click();
    const dialog = page.getByRole('dialog');
    const name = dialog.getByRole('textbox', { name: 'Name' });
    await name.fill('Typed before');
    await dialog.getByRole('textbox', { name: 'Address' }).fill('https://example.com/hook');
    await owner.api.projects.removeMember(projectId, developer.userId);
    await dialog.getByRole('button', { name: 'Create webhook' }).click();
    await dialog.getByRole('alert').waitFor();
    t.equal(await name.inputValue(), 'Typed before');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await create.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'A shop of its own' }).waitFor();
  },
);
