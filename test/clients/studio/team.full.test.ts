/** The team page: roles in the project, the workspace handed over, and leaving it. */
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import {
  addOperator,
  expectNoBarriers,
  findBarriers,
  openConsole,
  shareConsole,
  verifyOwner,
} from '../console/console-page.ts';

const setting = await shareConsole(t);
const { owner, projectId, environmentId } = setting;
const { workspaceId } = await owner.api.projects.get(projectId);
const browser = await startChromium(t);
const path = `/studio/${projectId}/${environmentId}/team`;
const mira = await addOperator(setting, 'agent', 'mira');
const tom = await addOperator(setting, 'agent', 'tom');

const findMember = (userId: string) => owner.api.members.get(workspaceId, userId);

t.test('a member becomes a developer of the project, and is none any more', async t => {
  const page = await openConsole(t, browser, setting, owner, { path });
  const role = page.getByRole('combobox', { name: `Role of ${mira.email} in the project` });
  const choose = async (label: string, method: string): Promise<void> => {
    const answered = page.waitForResponse(response => response.request().method() === method);
    await role.click();
    await page.getByRole('option', { name: label }).click();
    t.ok((await answered).ok());
  };
  await role.waitFor();
  await choose('Developer', 'PUT');
  t.match((await findMember(mira.userId)).projectRoles, [{ projectId, role: 'developer' }]);
  await expectNoBarriers(t, page);
  await choose('As in Studio', 'DELETE');
  t.strictSame((await findMember(mira.userId)).projectRoles, []);
});

t.test('somebody is invited, and the invitation is taken back', async t => {
  await verifyOwner(setting);
  const page = await openConsole(t, browser, setting, owner, { path });
  const dialog = page.getByRole('dialog');
  await page.getByText('No open invitations.').waitFor();
  await page.getByRole('button', { name: 'Invite somebody' }).click();
  await dialog.getByRole('textbox', { name: 'E-mail' }).fill('guest@example.com');
  t.strictSame(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Send the invitation' }).click();
  const row = page.getByRole('row', { name: 'guest@example.com' });
  await row.getByText('Waiting').waitFor();
  await row.getByRole('button', { name: 'Take back' }).click();
  await dialog.getByRole('button', { name: 'Take back' }).click();
  await row.getByText('Taken back').waitFor();
});

t.test('the last owner cannot leave, and hands the workspace over by name', async t => {
  const page = await openConsole(t, browser, setting, owner, { path });
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Leave workspace' }).click();
  await dialog.getByRole('textbox').fill(owner.email);
  await dialog.getByRole('button', { name: 'Leave workspace' }).click();
  await dialog.getByRole('alert').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  await page.getByRole('button', { name: `Change ${mira.email}` }).click();
  await page.getByRole('menuitem', { name: 'Make owner' }).click();
  const confirm = dialog.getByRole('button', { name: 'Make owner' });
  await dialog.getByRole('textbox').fill(tom.email);
  t.ok(await confirm.isDisabled(), 'the name of another does not do');
  await dialog.getByRole('textbox').fill(mira.email);
  await confirm.click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('row', { name: mira.email }).getByText('Owner', { exact: true }).waitFor();
  // An admin removes members, and makes nobody an owner.
  await page.getByRole('button', { name: `Change ${tom.email}` }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).waitFor();
  t.equal(await page.getByRole('menuitem', { name: 'Make owner' }).count(), 0);
  t.equal((await findMember(owner.userId)).role, 'admin');
  t.equal((await findMember(mira.userId)).role, 'owner');
});

t.test('who leaves is led away, and finds nothing there any more', async t => {
  const page = await openConsole(t, browser, setting, tom, { path });
  await page.getByRole('cell', { name: tom.email }).waitFor();
  t.equal(await page.getByRole('button', { name: /^Change / }).count(), 0);
  t.equal(await page.getByRole('combobox', { name: /in the project$/ }).count(), 0);
  await page.getByRole('button', { name: 'Leave workspace' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill(tom.email);
  await dialog.getByRole('button', { name: 'Leave workspace' }).click();
  await page.getByRole('heading', { name: 'You are not a member of any workspace' }).waitFor();
  t.strictSame(await findBarriers(page), []);
  // Also by any other address, and in the Console.
  for (const elsewhere of [path, `/console/${projectId}/${environmentId}/all`]) {
    await page.goto(`${setting.baseUrl}${elsewhere}`);
    await page.getByRole('heading', { name: 'You are not a member of any workspace' }).waitFor();
  }
  // Somebody takes them in again.
  await setting.database.query(`insert into workspace_members values ($1, $2, 'viewer', now(), now())`, [
    workspaceId,
    tom.userId,
  ]);
  await page.getByRole('link', { name: 'I have joined one' }).click();
  await page
    .getByRole('heading', { name: 'You are not a member of any workspace' })
    .waitFor({ state: 'detached' });
});
