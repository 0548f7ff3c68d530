/** Canned replies are written by those who look after the project, and read by everybody. */
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { addOperator, expectNoBarriers, findBarriers, openConsole, shareConsole } from './console-page.ts';

const setting = await shareConsole(t);
const browser = await startChromium(t);
const { owner, projectId } = setting;
const path = `/console/settings/canned-replies/${projectId}`;
const listReplies = () => owner.api.cannedReplies.list({ projectId }).toArray();

t.test('the owner writes one, changes it, and deletes it', async t => {
  const page = await openConsole(t, browser, setting, owner);
  await page.getByRole('button', { name: /settings and sign out/ }).click();
  await page.getByRole('menuitem', { name: 'Canned replies' }).click();
  await page.getByText('There are none yet.').waitFor();
  t.strictSame(await findBarriers(page), []);

  await page.getByRole('button', { name: 'New reply' }).click();
  const form = page.getByRole('form');
  await form.getByLabel('Shortcut').fill('/Thanks');
  await form.getByLabel('Title').fill('Thanks');
  await form.getByLabel('Text').fill('Thank you, {{participant.nam}}!');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByRole('alert').getByText('/body/body').waitFor();
  await form.getByLabel('Text').fill('Thank you, {{participant.name}}!');
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Edit /thanks' }).click();
  await form.getByLabel('Title').fill('Thanks a lot');
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Thanks a lot').waitFor();
  t.match(await listReplies(), [
    { shortcut: '/thanks', title: 'Thanks a lot', body: 'Thank you, {{participant.name}}!' },
  ]);

  await page.getByRole('button', { name: 'Edit /thanks' }).click();
  t.strictSame(await findBarriers(page), []);
  await form.getByRole('button', { name: 'Delete', exact: true }).click();
  const sure = form.getByRole('button', { name: 'Delete for everybody' });
  await sure.waitFor();
  t.equal((await listReplies()).length, 1, 'it asks before');
  await sure.click();
  await page.getByText('There are none yet.').waitFor();
  t.strictSame(await listReplies(), []);
});

t.test(
  'what is half written is still there after the page was left, until it is given up or saved',
  async t => {
    const page = await openConsole(t, browser, setting, owner, { path });
    await page.getByRole('button', { name: 'New reply' }).click();
    const form = page.getByRole('form');
    await form.getByLabel('Text').fill('We are open from nine');
    await page.reload();
    await form.getByLabel('Title').fill('Open');
    await form.getByLabel('Shortcut').fill('/open');
    t.equal(await form.getByLabel('Text').inputValue(), 'We are open from nine');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Edit /open' }).click();
    await form.getByLabel('Text').fill('We are open from ten');
    await page.reload();
    t.equal(await form.getByLabel('Text').inputValue(), 'We are open from ten');
    await form.getByRole('button', { name: 'Cancel' }).click();
    await form.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByText('We are open from nine').waitFor();
    t.equal(await form.count(), 0);
    await page.getByRole('button', { name: 'Edit /open' }).click();
    await form.getByRole('button', { name: 'Delete', exact: true }).click();
    await form.getByRole('button', { name: 'Delete for everybody' }).click();
    await page.getByText('There are none yet.').waitFor();
  },
);

t.test('what a colleague has changed meanwhile is shown before it is replaced', async t => {
  const { cannedReplyId } = await owner.api.cannedReplies.create({
    projectId,
    shortcut: '/open',
    title: 'Open',
    body: 'We are open from nine',
  });
  const page = await openConsole(t, browser, setting, owner, { path });
  const form = page.getByRole('form');
  const overtaken = form
    .getByRole('alert')
    .filter({ hasText: 'Somebody else has changed it in the meantime.' });
  await page.getByRole('button', { name: 'Edit /open' }).click();
  await form.getByLabel('Text').fill('We are open from ten');
  await page.reload();
  await form.getByLabel('Text').waitFor();
  t.equal(await overtaken.count(), 0, 'nobody has');
  await owner.api.cannedReplies.update(cannedReplyId, { body: 'We are open from eight' });
  await page.reload();
  await overtaken.getByText('We are open from eight').waitFor();
  t.equal(await form.getByLabel('Text').inputValue(), 'We are open from ten');
  await expectNoBarriers(t, page);
  await form.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('We are open from eight').waitFor();
  await page.getByRole('button', { name: 'Edit /open' }).click();
  t.equal(await form.getByLabel('Text').inputValue(), 'We are open from eight');
  t.equal(await overtaken.count(), 0, 'what is begun now is begun with it');
  await owner.api.cannedReplies.delete(cannedReplyId);
});

t.test('an operator reads them, and is told that they may not write', async t => {
  await owner.api.cannedReplies.create({
    projectId,
    shortcut: '/hours',
    title: 'Hours',
    body: 'Nine to five.',
  });
  const page = await openConsole(t, browser, setting, await addOperator(setting), { path });
  await page.getByText('Nine to five.').waitFor();
  await page.getByText(/^They are shared by everybody/).waitFor();
  for (const name of ['Edit /hours', 'New reply'])
    t.equal(await page.getByRole('button', { name }).count(), 0, name);
  t.strictSame(await findBarriers(page), []);
});

t.test('whoever may not write any more is shown no form, and has it again once they may', async t => {
  const operator = await addOperator(setting);
  const setRole = (role: 'agent' | 'project_owner') =>
    owner.api.request('upsertConsoleMember', {
      params: { projectId },
      body: { userId: operator.userId, role },
    });
  await setRole('project_owner');
  const page = await openConsole(t, browser, setting, operator, { path });
  await page.getByRole('button', { name: 'New reply' }).click();
  const form = page.getByRole('form');
  await form.getByLabel('Text').fill('Half of it');
  await setRole('agent');
  await page.reload();
  await page.getByText(/^They are shared by everybody/).waitFor();
  await page.getByText('Nine to five.').waitFor();
  t.equal(await form.count(), 0);
  await setRole('project_owner');
  await page.reload();
  await form.getByLabel('Text').waitFor();
  t.equal(await form.getByLabel('Text').inputValue(), 'Half of it');
});
