/** The workspace page: names, the archive and back, and what is made there; what viewers and the API make of it. */
import t from 'tap';
import type { Page } from 'playwright-core';
import { startChromium } from '../../support/chromium.ts';
import {
  expectNoBarriers,
  findBarriers,
  openConsole,
  shareConsole,
  verifyOwner,
} from '../console/console-page.ts';

const setting = await shareConsole(t);
const { owner, skein, projectId } = setting;
const { workspaceId, name: firstProject } = await owner.api.projects.get(projectId);
// Only who has proved their address sees production.
await verifyOwner(setting);
const browser = await startChromium(t);
const path = `/studio/workspace/${workspaceId}`;

const getStatus = (call: PromiseLike<unknown>): Promise<number> =>
  Promise.resolve(call).then(
    () => 200,
    (error: { status: number }) => error.status,
  );

async function submitName(page: Page, label: string, name: string, action: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: label }).fill(name);
  await dialog.getByRole('button', { name: action }).click();
  await dialog.waitFor({ state: 'detached' });
}

t.test('a project is made, gets production, is archived by its name, and comes back', async t => {
  const page = await openConsole(t, browser, setting, owner, { path });
  const main = page.getByRole('main');
  await main.getByRole('button', { name: 'Create project' }).click();
  await submitName(page, 'Name', 'Shop', 'Create project');
  await main.getByRole('button', { name: 'Rename Shop' }).click();
  await submitName(page, 'Name', 'Shop <b>2</b>', 'Save');
  const row = main.getByRole('row', { name: 'Shop <b>2</b>' });

  await row.getByRole('button', { name: 'Add production to' }).click();
  await page.getByText('Production reaches real customers').waitFor();
  await submitName(page, 'Name of the environment', 'Live', 'Create production');
  await row.getByRole('link', { name: 'Live' }).waitFor();
  await row.getByText('Production', { exact: true }).waitFor();
  t.equal(await row.getByRole('button', { name: 'Add production' }).count(), 0, 'a project has one');

  await row.getByRole('button', { name: 'Archive' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Nothing is deleted').waitFor();
  const confirm = dialog.getByRole('button', { name: 'Archive' });
  await dialog.getByRole('textbox').fill('Shop');
  t.ok(await confirm.isDisabled(), 'another name does not do');
  await expectNoBarriers(t, page);
  await submitName(page, 'Type “Shop <b>2</b>” to confirm', 'Shop <b>2</b>', 'Archive');
  await row.getByText('Archived').waitFor();
  await row.getByRole('button', { name: 'Restore' }).click();
  await submitName(page, 'to confirm', 'Shop <b>2</b>', 'Restore');
  await row.getByText('Archived').waitFor({ state: 'detached' });
  const shop = (await owner.api.projects.list({ workspaceId }).toArray(10)).find(
    each => each.name === 'Shop <b>2</b>',
  );
  t.equal(shop?.archivedAt ?? null, null);
});

t.test('an archived workspace refuses its keys until its owner restores it', async t => {
  const page = await openConsole(t, browser, setting, owner, { path });
  const main = page.getByRole('main');
  await main.getByRole('button', { name: 'Rename', exact: true }).click();
  await submitName(page, 'Name', 'Harbour', 'Save');
  await page.getByRole('heading', { name: 'Harbour', level: 1 }).waitFor();
  await main.getByRole('button', { name: 'Archive workspace' }).click();
  await submitName(page, 'to confirm', 'Harbour', 'Archive workspace');
  await main.getByRole('button', { name: 'Restore workspace' }).waitFor();
  t.equal(await getStatus(skein.channels.list().toArray(1)), 401);
  t.equal(await main.getByRole('button', { name: 'Create project' }).count(), 0);
  t.equal(await main.getByRole('button', { name: `Rename ${firstProject}` }).count(), 0);
  t.strictSame(await findBarriers(page), []);
  await main.getByRole('button', { name: 'Restore workspace' }).click();
  await submitName(page, 'to confirm', 'Harbour', 'Restore workspace');
  await main.getByRole('button', { name: 'Archive workspace' }).waitFor();
  t.equal(await getStatus(skein.channels.list().toArray(1)), 200);
});

t.test('a new workspace opens, with a project of its own', async t => {
  const page = await openConsole(t, browser, setting, owner, { path });
  await page.getByRole('button', { name: 'New workspace' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Second');
  await dialog.getByRole('button', { name: 'New workspace' }).click();
  await page.getByRole('heading', { name: 'Second', level: 1 }).waitFor();
  await page.getByRole('navigation').getByText('Second').waitFor();
  await page.getByRole('main').getByRole('button', { name: 'Rename' }).nth(1).waitFor();
  t.not(new URL(page.url()).pathname, path);
});

t.test('two workspaces of one name, with projects of one name, are told apart', async t => {
  const twin = await owner.api.workspaces.create({ name: 'Harbour' });
  const page = await openConsole(t, browser, setting, owner, { path });
  const groups = page.getByRole('navigation').getByRole('group', { name: /^Harbour/ });
  await groups.nth(1).waitFor();
  const ends = [workspaceId, twin.workspaceId].map(id => `Harbour (…${id.slice(-4)})`);
  for (const name of ends) await page.getByRole('group', { name, exact: true }).waitFor();
  t.strictSame(await findBarriers(page), []);
  await page.getByRole('link', { name: 'Back to the project' }).click();
  await page.getByRole('combobox', { name: 'Project and environment' }).click();
  const options = await page.getByRole('option').allTextContents();
  t.equal(new Set(options).size, options.length, options.join(', '));
});
