/** What Studio shows by role: developers change things, viewers are led nowhere that refuses them, and an error is not taken for an absence. */
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { addOperator, openConsole, startConsole } from '../console/console-page.ts';

const setting = await startConsole(t);
const { owner, projectId, environmentId } = setting;
const browser = await startChromium(t);
const at = (rest: string): string => `/studio/${projectId}/${environmentId}${rest}`;

t.test('a developer of the project makes a webhook, and administers nothing', async t => {
  const developer = await addOperator(setting, 'agent');
  await owner.api.projects.upsertMember(projectId, { userId: developer.userId, role: 'developer' });
  const page = await openConsole(t, browser, setting, developer, { path: at('/webhooks') });
  await page.getByRole('button', { name: 'Create webhook' }).first().click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Of a developer');
  await page.getByRole('textbox', { name: 'Address' }).fill('https://example.com/hook');
  await page.getByRole('dialog').getByRole('button', { name: 'Create webhook' }).click();
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByRole('heading', { name: 'Of a developer' }).waitFor();
  await page.getByRole('navigation').getByRole('link', { name: 'Team' }).click();
  await page.getByRole('cell', { name: developer.email }).waitFor();
  t.equal(await page.getByRole('button', { name: 'Invite somebody' }).count(), 0);
});

t.test('nothing leads a viewer to a page that refuses them', async t => {
  const viewer = await addOperator(setting, 'viewer');
  const page = await openConsole(t, browser, setting, viewer, { path: at('') });
  const nav = page.getByRole('navigation');
  await nav.getByRole('link', { name: 'Team' }).waitFor();
  t.equal(await nav.getByRole('link', { name: 'Usage' }).count(), 0);
  t.equal(await nav.getByRole('link', { name: 'Audit log' }).count(), 0);
});

t.test('who looks after the project in the Console reads usage, and sets budgets', async t => {
  const lead = await addOperator(setting, 'agent');
  await owner.api.request('upsertConsoleMember', {
    params: { projectId },
    body: { userId: lead.userId, role: 'project_owner' },
  });
  const page = await openConsole(t, browser, setting, lead, { path: at('') });
  await page.getByRole('navigation').getByRole('link', { name: 'Usage' }).click();
  await page.getByRole('textbox', { name: 'For a day' }).fill('5');
  const saved = page.waitForResponse(response => response.request().method() === 'PUT');
  await page.getByRole('button', { name: 'Save the budgets' }).click();
  t.match(await (await saved).json(), { perProjectDayMicros: 5_000_000 });
});

t.test(
  'an administrator has conversations assigned by themselves; a developer sees whether they are',
  async t => {
    const page = await openConsole(t, browser, setting, owner, { path: at('/team') });
    const form = page.getByRole('region', { name: 'Automatic assignment' });
    const isOn = form.getByRole('switch', { name: 'Give waiting conversations to operators in turn' });
    const most = form.getByRole('textbox', { name: 'Open conversations of an operator, at most' });
    await isOn.check({ force: true });
    await most.fill('0');
    await form.getByText('A whole number from 1 to 1,000.').waitFor();
    await most.fill('12');
    const saved = page.waitForResponse(response => response.request().method() === 'PATCH');
    await form.getByRole('button', { name: 'Save' }).click();
    t.match(await (await saved).json(), { assignment: { mode: 'roundRobin', maxOpenThreads: 12 } });
    t.match((await owner.api.projects.get(projectId)).assignment, { mode: 'roundRobin', maxOpenThreads: 12 });

    const developer = await addOperator(setting, 'agent');
    await owner.api.projects.upsertMember(projectId, { userId: developer.userId, role: 'developer' });
    const theirs = await openConsole(t, browser, setting, developer, { path: at('/team') });
    const shown = theirs.getByRole('region', { name: 'Automatic assignment' });
    await shown.getByRole('switch', { checked: true, disabled: true }).waitFor();
    t.equal(await shown.getByRole('button', { name: 'Save' }).count(), 0);
  },
);

t.test('a server that cannot be reached is no missing project, and the page goes on by itself', async t => {
  const page = await openConsole(t, browser, setting, owner, { path: '/studio/account' });
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
  const isOfProjects = /\/v1\/(?:projects|environments)/;
  await page.route(isOfProjects, route => route.abort('connectionrefused'));
  await page.getByRole('link', { name: 'Back to the project' }).click();
  await page.getByText('The server cannot be reached.').waitFor();
  t.equal(await page.getByText('There is no such').count(), 0);
  await page.unroute(isOfProjects);
  await page.getByText('of 5 done').waitFor();
});
