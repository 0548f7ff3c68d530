/** What an operator narrows a list down to and keeps, and tags for several conversations at once. */
import type { Page } from 'playwright-core';
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { eventually } from '../../support/eventually.ts';
import { addOperator, findBarriers, openConsole, receive, shareConsole } from './console-page.ts';

const setting = await shareConsole(t);
const browser = await startChromium(t);
const operator = await addOperator(setting);
const { projectId, environmentId } = setting;
const ada = await receive(setting, 'ada', 'Where is my parcel?', 'Ada Byron');
const grace = await receive(setting, 'grace', 'Hello', 'Grace Hopper');
await setting.skein.threads.update(ada, { tags: ['vip'] });

async function shows(page: Page, names: readonly string[]): Promise<void> {
  const shown = page.getByRole('option').locator('bdi[title]');
  await eventually(`list of ${names.join(', ')}`, async () => {
    return (await shown.allTextContents()).join('|') === names.join('|');
  });
}

const openMenu = async (page: Page, name: string): Promise<void> => {
  await page.getByRole('region', { name: 'Saved filters' }).getByRole('link', { name }).hover();
  await page.getByRole('button', { name: `Change “${name}”` }).click();
};

t.test('filters are kept under a name, and are there in another browser', async t => {
  const page = await openConsole(t, browser, setting, operator, {
    path: `/console/${projectId}/${environmentId}/unassigned?tag=${encodeURIComponent('["vip"]')}`,
  });
  await shows(page, ['Ada Byron']);
  await page.getByRole('button', { name: 'Save these filters' }).click();
  await page.getByRole('textbox', { name: 'Name of this filter' }).fill('Important');
  await page.keyboard.press('Enter');
  const saved = page.getByRole('region', { name: 'Saved filters' }).getByRole('link');
  await saved.filter({ hasText: 'Important' }).and(page.locator('[aria-current=page]')).waitFor();

  const elsewhere = await openConsole(t, browser, setting, operator);
  await shows(elsewhere, ['Grace Hopper', 'Ada Byron']);
  await elsewhere.getByRole('link', { name: 'Important' }).click();
  await shows(elsewhere, ['Ada Byron']);
  await elsewhere.getByRole('heading', { name: 'Unassigned' }).waitFor();

  const someoneElse = await openConsole(t, browser, setting, setting.owner);
  await shows(someoneElse, ['Grace Hopper', 'Ada Byron']);
  t.equal(await someoneElse.getByText('Important').count(), 0, 'a filter is its owner’s');
});

t.test('a saved filter is found by name, renamed and deleted', async t => {
  const page = await openConsole(t, browser, setting, operator);
  await shows(page, ['Grace Hopper', 'Ada Byron']);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search' }).fill('import');
  await page.keyboard.press('Enter');
  await shows(page, ['Ada Byron']);

  await page.getByRole('link', { name: 'All open' }).click();
  await page.getByRole('button', { name: 'Save these filters' }).click();
  await page.getByRole('textbox', { name: 'Name of this filter' }).fill('Everything');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('link', { name: 'Everything' }).waitFor();

  await openMenu(page, 'Important');
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  const name = page
    .getByRole('region', { name: 'Saved filters' })
    .getByRole('textbox', { name: 'Name of this filter' });
  await name.fill('Everything');
  await page.getByText('This name is taken.').waitFor();
  await name.fill('Guests');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Guests' }).waitFor();
  t.equal(await page.getByRole('link', { name: 'Important' }).count(), 0);

  await openMenu(page, 'Everything');
  await page.getByRole('menuitem', { name: 'Delete', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Delete it' }).waitFor();
  t.equal(await page.getByRole('link', { name: 'Everything' }).count(), 1, 'it asks before');
  await page.getByRole('menuitem', { name: 'Delete it' }).click();
  await page.getByRole('link', { name: 'Everything' }).waitFor({ state: 'detached' });
  const { savedFilters } = await operator.api.profile.get();
  t.strictSame(savedFilters[projectId], { Guests: { queue: 'unassigned', filters: { tag: ['vip'] } } });
});

t.test('a name that would be lost is refused, and the filter kept under the next', async t => {
  const page = await openConsole(t, browser, setting, operator);
  await shows(page, ['Grace Hopper', 'Ada Byron']);
  await page.getByRole('button', { name: 'Save these filters' }).click();
  const name = page.getByRole('textbox', { name: 'Name of this filter' });
  const save = page.getByRole('button', { name: 'Save', exact: true });
  await name.fill('__proto__');
  await page.getByText('This is not a valid name.').waitFor();
  t.equal(await save.isDisabled(), true);
  await page.keyboard.press('Enter');
  t.strictSame(await findBarriers(page), []);
  // Of every object, and a name like any other.
  await name.fill('constructor');
  await save.click();
  await page.getByRole('link', { name: 'constructor' }).waitFor();
  const { savedFilters } = await operator.api.profile.get();
  t.ok(Object.hasOwn(savedFilters[projectId] ?? {}, 'constructor'));
  await openMenu(page, 'constructor');
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  const renamed = page.getByRole('region', { name: 'Saved filters' }).getByRole('textbox');
  await renamed.fill('__proto__');
  await renamed.press('Enter');
  await page.getByText('This is not a valid name.').waitFor();
  await renamed.press('Escape');
  await page.getByRole('link', { name: 'constructor' }).waitFor();
});

t.test('what was chosen in a queue is not changed in the next one', async t => {
  const page = await openConsole(t, browser, setting, operator);
  await shows(page, ['Grace Hopper', 'Ada Byron']);
  const row = page.getByRole('option', { name: 'Ada Byron' });
  await row.click({ modifiers: ['Control'] });
  await page.getByText('1 selected').waitFor();
  t.equal(await row.getAttribute('aria-checked'), 'true', 'a screen reader says so');
  t.equal(await page.getByRole('option', { checked: true }).count(), 1);
  await page.getByRole('link', { name: /^Closed/ }).click();
  await page.getByRole('heading', { name: 'Closed' }).waitFor();
  await page.getByRole('toolbar', { name: 'Selected conversations' }).waitFor({ state: 'detached' });
});

t.test('tags are given to several conversations, and taken away', async t => {
  const page = await openConsole(t, browser, setting, operator);
  await shows(page, ['Grace Hopper', 'Ada Byron']);
  const choose = async (): Promise<void> => {
    for (const name of ['Grace Hopper', 'Ada Byron'])
      await page.getByRole('option', { name }).click({ modifiers: ['Control'] });
    await page.getByText('2 selected').waitFor();
    await page.getByRole('button', { name: 'Tag', exact: true }).click();
  };
  const dialog = page.getByRole('dialog').filter({ has: page.getByRole('button', { name: 'Add' }) });
  await choose();
  await dialog.getByRole('combobox', { name: 'Tags' }).fill('two words');
  await page.keyboard.press('Enter');
  await dialog.getByText('letter').waitFor();
  t.equal(await dialog.getByRole('button', { name: 'Add' }).isDisabled(), true, 'no tag of two words');
  await page.keyboard.press('Backspace');
  await dialog.getByRole('combobox', { name: 'Tags' }).fill('refund');
  await page.keyboard.press('Enter');
  t.strictSame(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Add' }).click();
  await page.getByRole('option', { name: 'Grace Hopper' }).getByText('refund').waitFor();
  await page.getByRole('option', { name: 'Ada Byron' }).getByText('refund').waitFor();
  t.strictSame((await setting.skein.threads.get(ada)).tags, ['vip', 'refund']);

  await choose();
  await dialog.getByRole('combobox', { name: 'Tags' }).click();
  await dialog.getByRole('option', { name: 'vip' }).click();
  // Not by Escape: where the choices are shut already it shuts the dialog.
  await page.keyboard.press('Tab');
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('option', { name: 'Ada Byron' }).getByText('vip').waitFor({ state: 'detached' });
  t.strictSame((await setting.skein.threads.get(ada)).tags, ['refund']);
  t.strictSame((await setting.skein.threads.get(grace)).tags, ['refund']);
});

t.test('a queue has no filter that it has set itself, though its address may', async t => {
  await setting.skein.threads.assign(ada, { userId: operator.userId });
  const other = encodeURIComponent(JSON.stringify([setting.owner.userId]));
  const page = await openConsole(t, browser, setting, operator, {
    path: `/console/${projectId}/${environmentId}/mine?assigneeUserId=${other}`,
  });
  await shows(page, ['Ada Byron']);
  t.equal(await page.getByRole('button', { name: 'Remove this filter' }).count(), 0);
  const openFilters = () => page.getByRole('button', { name: 'Filter', exact: true }).click();
  const getField = (name: string) => page.getByRole('combobox', { name, exact: true });
  await openFilters();
  await getField('Agent mode').waitFor();
  t.equal(await getField('Assigned to').count(), 0);
  await page.keyboard.press('Escape');
  await getField('Agent mode').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Agent paused' }).click();
  await page.getByRole('heading', { name: 'Agent paused' }).waitFor();
  await openFilters();
  await getField('Assigned to').waitFor();
  t.equal(await getField('Agent mode').count(), 0);
});
