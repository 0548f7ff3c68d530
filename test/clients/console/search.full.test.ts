/** The palette: conversations by what was written in them, and everywhere else by name. */
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { eventually } from '../../support/eventually.ts';
import { expectNoBarriers, findBarriers, openConsole, receive, shareConsole } from './console-page.ts';

t.test('the palette', async t => {
  const setting = await shareConsole(t);
  const threadId = await receive(
    setting,
    '+4915112345',
    'My <b>parcel</b> with the violin is lost',
    'Ines Berg',
  );
  const later = Array.from({ length: 60 }, (_each, index) => `later ${index}`);
  await Promise.all(
    later.map(body => setting.skein.messages.create(threadId, { body, direction: 'inbound' })),
  );
  await receive(setting, '+4915167890', 'The violin teacher is ill', '\u202Eevil<script>alert(1)</script>');
  const { projectId, environmentId, owner } = setting;
  // The index follows a moment later.
  await eventually('messages in the index', async () => {
    const found = await owner.api.threads.list({ projectId, environmentId, q: 'violin' });
    return found.data.length === 2;
  });
  const browser = await startChromium(t);
  const page = await openConsole(t, browser, setting, owner);
  await page.getByRole('navigation', { name: 'Queues' }).waitFor();
  const field = page.getByRole('combobox', { name: 'Search' });
  const results = page.getByRole('listbox', { name: 'What was found' });

  await t.test('finds conversations by what was written, and opens one: by keyboard alone', async t => {
    await page.keyboard.press('Control+k');
    await field.fill('violin par');
    const found = results.getByRole('option', { name: 'Ines Berg' });
    await found.waitFor();
    t.strictSame(await found.locator('mark').allTextContents(), ['parcel', 'violin']);
    await page.keyboard.press('Enter');
    await page.waitForURL(url => url.pathname.endsWith(`/all/${threadId}`));
    await field.waitFor({ state: 'detached' });
    // It is older than the first page of its conversation.
    const message = page
      .getByRole('log')
      .locator('[data-found]')
      .getByText(/parcel.*violin/);
    await message.waitFor();
    await eventually('message in view', async () => {
      const { y = 0 } = (await message.boundingBox()) ?? {};
      return y > 100 && y < 600;
    });
  });

  await t.test('goes to a queue by the beginning of its name', async () => {
    await page.getByRole('button', { name: 'Search' }).click();
    await field.fill('wait long');
    await results.getByRole('option', { name: 'Waiting longest' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/waiting');
  });

  await t.test('loses nothing that is typed right after the click, also while it loads', async t => {
    await page.getByRole('button', { name: 'Search' }).click();
    await page.keyboard.type('parcel');
    t.equal(await field.inputValue(), 'parcel');
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
    const held = Promise.withResolvers<undefined>();
    await page.route(/\/assets\/palette-[^/]*\.js$/, async route => {
      await held.promise;
      await route.continue();
    });
    await page.reload();
    await page.getByRole('button', { name: 'Search' }).click();
    await page.keyboard.type('par');
    const loading = page.getByRole('dialog').getByRole('textbox', { name: 'Search' });
    t.equal(await loading.inputValue(), 'par');
    t.strictSame(await findBarriers(page), []);
    held.resolve(undefined);
    await field.waitFor();
    await page.keyboard.type('cel');
    t.equal(await field.inputValue(), 'parcel');
    await page.unrouteAll({ behavior: 'wait' });
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
  });

  await t.test('walks round, says how much there is, and is closed by Escape', async t => {
    await page.keyboard.press('Control+k');
    await field.fill('violin');
    await results.getByRole('option', { name: /evil/ }).waitFor();
    t.notMatch(await results.textContent(), /\u202e/, 'a name turns no direction');
    t.match(await results.textContent(), '<script>alert(1)</script>', 'a name is text');
    t.equal(await page.getByRole('status').filter({ hasText: '2 results' }).count(), 1);
    const chosen = () => results.getByRole('option', { selected: true }).textContent();
    const first = await chosen();
    await page.keyboard.press('ArrowDown');
    t.not(await chosen(), first);
    await page.keyboard.press('ArrowDown');
    t.equal(await chosen(), first);
    await expectNoBarriers(t, page);
    await field.fill('nothing like this');
    await page.getByText('No results.').waitFor();
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
  });

  await t.test('all results are a list with an address, more than the palette shows', async t => {
    const asked = Array.from({ length: 20 }, (_each, index) => `guest-${index}`);
    await Promise.all(asked.map(each => receive(setting, each, `A question about invoices: ${each}`)));
    await eventually('messages in the index', async () => {
      const found = await owner.api.threads.list({ projectId, environmentId, q: 'invoices', limit: 50 });
      return found.data.length === asked.length;
    });
    await page.keyboard.press('Control+k');
    await field.fill('invoices');
    await results
      .getByRole('option', { name: /guest-/ })
      .first()
      .waitFor();
    t.ok(
      (await results.getByRole('option', { name: /guest-/ }).count()) < asked.length,
      'the palette has some',
    );
    await results.getByRole('option', { name: 'All results for “invoices”' }).click();
    await page.getByRole('heading', { name: 'Results for “invoices”' }).waitFor();
    const shown = page.getByRole('listbox', { name: 'Conversations' }).getByRole('option');
    // Of a long list only what is in view is in the document.
    await page.locator(`[role=option][aria-setsize="${asked.length}"]`).first().waitFor();
    await shown.locator('mark').first().waitFor();
    t.strictSame(await findBarriers(page), []);
    await page.reload();
    await page.locator(`[role=option][aria-setsize="${asked.length}"]`).first().waitFor();
    await shown.first().click();
    await page
      .getByRole('log')
      .getByText(/A question about invoices/)
      .first()
      .waitFor();
    t.equal(new URL(page.url()).searchParams.get('q'), 'invoices', 'the list stays');
    t.equal(await shown.first().getAttribute('aria-setsize'), String(asked.length));
  });
});
