/** What Studio shows by role: developers change things, viewers are led nowhere that refuses them, and an error is not taken for an absence. */
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import {
  addOperator,
  expectNoBarriers,
  findBarriers,
  openConsole,
  receive,
  shareConsole,
} from '../console/console-page.ts';

const setting = await shareConsole(t);
const { owner, skein, projectId, environmentId } = setting;
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
  await receive(setting, 'ada', 'Hello?');
  await owner.api.request('upsertConsoleMember', {
    params: { projectId },
    body: { userId: lead.userId, role: 'project_owner' },
  });
  const page = await openConsole(t, browser, setting, lead, { path: at('') });
  await page.getByRole('navigation').getByRole('link', { name: 'Usage' }).click();
  await page.getByText('Left of today’s budget').waitFor();
  await page.getByRole('main').getByText('Channel', { exact: true }).click();
  t.match(
    await page.getByRole('row', { name: /^Sandbox / }).innerText(),
    /^Sandbox\s+1\s+0\s/,
    'one message came',
  );
  t.strictSame(await findBarriers(page), []);
  const perDay = page.getByRole('textbox', { name: 'Per day' });
  await perDay.fill('5');
  // Another grouping is the same page: nobody is asked whether to leave it.
  await page.getByRole('main').getByText('Agent', { exact: true }).click();
  await page.waitForURL(/by=agent/);
  t.equal(await perDay.inputValue(), '$ 5');
  // A colleague limits something else meanwhile.
  await lead.api.budgets.set({ projectId, environmentId, perRunMicros: 250_000, onExceeded: 'paused' });
  const saved = page.waitForResponse(response => response.request().method() === 'PUT');
  await page.getByRole('button', { name: 'Save budgets' }).click();
  t.match(await (await saved).json(), {
    perRunMicros: 250_000,
    perProjectDayMicros: 5_000_000,
    onExceeded: 'paused',
  });
});

t.test('a viewer sees the prices by which runs are priced, and which models have none', async t => {
  const definition = { systemPrompt: 'Answer.', provider: 'llm_provider_1' } as const;
  await skein.looms.create({ name: 'Known', model: 'gpt-4o-mini', ...definition });
  await skein.looms.create({ name: 'Own', model: 'our-own-model', ...definition });
  const viewer = await addOperator(setting, 'viewer');
  const page = await openConsole(t, browser, setting, viewer, { path: at('/providers') });
  const prices = page.getByRole('region', { name: 'Prices' });
  t.match(await prices.getByRole('row', { name: /gpt-4o-mini/ }).innerText(), /0\.15\s.*0\.60?\s/s);
  await prices.getByRole('row', { name: /our-own-model Not on the list/ }).waitFor();
  await expectNoBarriers(t, page);
  await prices.getByText('All', { exact: true }).click();
  const model = prices.getByRole('textbox', { name: 'Model' });
  await model.fill('claude-sonnet-4-5');
  await model.press('Enter');
  await prices.getByText('beyond 200,000 tokens').first().waitFor();
  t.equal(await prices.getByRole('row', { name: /our-own-model/ }).count(), 0);
  t.match(page.url(), /prices=all.*model=claude-sonnet-4-5/);
  await page.setViewportSize({ width: 390, height: 780 });
  t.notOk(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), 'it fits a phone');
});

t.test(
  'an administrator has conversations assigned by themselves; a developer sees whether they are',
  async t => {
    const page = await openConsole(t, browser, setting, owner, { path: at('/team') });
    const form = page.getByRole('region', { name: 'Automatic assignment' });
    const isOn = form.getByRole('switch', { name: 'Assign waiting conversations to operators in turn' });
    const most = form.getByRole('textbox', { name: 'Most open conversations per operator' });
    await isOn.check();
    await most.fill('0');
    await form.getByText('Enter a whole number from 1 to 1,000.').waitFor();
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
  await page.getByText('of 6 done').waitFor();
});

t.test('the audit log is narrowed by project and time, and an opened entry has an address', async t => {
  const page = await openConsole(t, browser, setting, owner, { path: at('/audit') });
  const action = page.getByRole('textbox', { name: 'Action' });
  await action.fill('channel.created');
  await action.press('Enter');
  for (const [filter, choice] of [
    ['Project', 'Default project'],
    ['Environment', 'sandbox'],
  ] as const) {
    await page.getByRole('main').getByRole('combobox', { name: filter, exact: true }).click();
    await page.getByRole('option', { name: choice, exact: true }).click();
  }
  const since = page.getByLabel('From', { exact: true });
  await since.fill('2026-01-01T00:00');
  await since.press('Enter');
  await page.getByRole('button', { name: 'channel.created' }).click();
  const entry = page.getByRole('dialog', { name: 'channel.created' });
  await entry.getByText(setting.channelId).first().waitFor();
  t.strictSame(await findBarriers(page), []);
  await page.reload();
  await entry.getByText(setting.channelId).first().waitFor();
  await page.keyboard.press('Escape');
  await entry.waitFor({ state: 'detached' });
  const until = page.getByLabel('To', { exact: true });
  await until.fill('2026-01-02T00:00');
  await until.press('Enter');
  await page.getByText('Nothing matches. Remove a filter.').waitFor();
});

t.test('the palette goes anywhere by a name, and nowhere that refuses its user', async t => {
  const page = await openConsole(t, browser, setting, owner, { path: at('') });
  const field = page.getByRole('combobox', { name: 'Go to …' });
  await page.getByRole('button', { name: 'Go to …' }).click();
  await field.fill('audit');
  await page.getByRole('option', { name: 'Audit log' }).waitFor();
  await expectNoBarriers(t, page);
  await field.press('Enter');
  await page.getByRole('heading', { name: 'Audit log' }).waitFor();
  await page.keyboard.press('Control+k');
  await field.fill('sandb chan');
  await page.getByRole('option', { name: 'Sandbox · Channels' }).waitFor();
  await field.press('Enter');
  await page.getByRole('heading', { name: 'Sandbox' }).waitFor();

  // Outside of a project it has what is there: workspaces, and the ways into projects.
  const outside = await openConsole(t, browser, setting, owner, { path: '/studio/account' });
  await outside.getByRole('heading', { name: 'Your account' }).waitFor();
  await outside.keyboard.press('Control+k');
  const outer = outside.getByRole('combobox', { name: 'Go to …' });
  await outer.fill('audit');
  await outside.getByText('No results.').waitFor();
  await outer.fill('workspace');
  await outside.getByRole('option', { name: 'My workspace · Workspace' }).waitFor();
  t.strictSame(await findBarriers(outside), []);
  await outer.press('Enter');
  await outside.getByRole('heading', { name: 'Projects' }).waitFor();
  await outside.keyboard.press('Control+k');
  await outer.fill('sandbox');
  await outer.press('Enter');
  await outside.getByText('of 6 done').waitFor();

  const viewer = await addOperator(setting, 'viewer');
  const theirs = await openConsole(t, browser, setting, viewer, { path: at('') });
  await theirs.getByRole('button', { name: 'Go to …' }).click();
  await theirs.getByRole('combobox', { name: 'Go to …' }).fill('audit');
  await theirs.getByText('No results.').waitFor();
});
