/** A webhook through its life in Studio: changed, disabled, given a new secret, archived, restored; and a key that gets another name. */
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { findBarriers, openConsole, startConsole } from '../console/console-page.ts';

const setting = await startConsole(t);
const { owner, skein, projectId, environmentId } = setting;
const { stitch } = await skein.stitches.create({ name: 'Shop', webhookUrl: 'https://example.com/hook' });
const { stitchId } = stitch;
const browser = await startChromium(t);
const at = (rest: string): string => `/studio/${projectId}/${environmentId}${rest}`;

t.test('a webhook is changed, disabled, given a new secret, archived and restored', async t => {
  const page = await openConsole(t, browser, setting, owner, { path: at(`/webhooks/${stitchId}`) });
  const dialog = page.getByRole('dialog');

  await page.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Orders');
  await dialog.getByRole('textbox', { name: 'Address' }).fill('https://example.com/orders');
  await dialog.getByText('Chosen events').click();
  await dialog.getByRole('checkbox', { name: 'Everything about thread' }).check();
  t.strictSame(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Orders' }).waitFor();
  t.match(await skein.stitches.get(stitchId), {
    webhookUrl: 'https://example.com/orders',
    eventNames: ['thread.*'],
  });

  await page.getByRole('button', { name: 'Disable' }).click();
  await dialog.getByText('is not sent later').waitFor();
  t.equal((await skein.stitches.get(stitchId)).status, 'active', 'nothing yet');
  t.strictSame(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Disable' }).click();
  await page.getByRole('button', { name: 'Enable' }).click();
  await page.getByRole('button', { name: 'Disable' }).waitFor();

  await page.getByRole('button', { name: 'New secret' }).click();
  await dialog.getByRole('combobox', { name: 'The old secret works for' }).click();
  await page.getByRole('option', { name: '24 hours' }).click();
  await dialog.getByRole('button', { name: 'New secret' }).click();
  await dialog
    .getByRole('timer')
    .getByText(/23:59:\d\d/)
    .waitFor();
  t.strictSame(await findBarriers(page), []);
  const secret = (await dialog.locator('code').textContent()) ?? '';
  t.match(secret, /^whsec_/);
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await dialog.waitFor({ state: 'detached' });
  t.notOk((await page.content()).includes(secret), 'nothing is left of the secret');

  await page.getByRole('button', { name: 'Archive' }).click();
  await dialog.getByRole('textbox').fill('Orders');
  await dialog.getByRole('button', { name: 'Archive' }).click();
  await page.getByText('This webhook is archived').waitFor();
  t.equal(await page.getByRole('button', { name: 'Send a test' }).count(), 0);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    t.strictSame(await findBarriers(page), [], `archived, ${colorScheme}`);
  }
  await page.getByRole('button', { name: 'Restore' }).click();
  await page.getByRole('button', { name: 'Send a test' }).waitFor();
  t.equal((await skein.stitches.get(stitchId)).archivedAt, null);
});

t.test('what the server refuses is said with the request and where it is explained', async t => {
  const page = await openConsole(t, browser, setting, owner, { path: at(`/webhooks/${stitchId}`) });
  await page.getByRole('button', { name: 'Send a test' }).waitFor();
  await skein.stitches.archive(stitchId);
  await page.getByRole('button', { name: 'Send a test' }).click();
  const alert = page.getByRole('alert');
  await alert.getByText(/Request req_/).waitFor();
  t.match(await alert.getByRole('link').getAttribute('href'), /\/docs\/errors/);
});

t.test('a key gets another name, and a new secret with a grace that is counted down', async t => {
  const page = await openConsole(t, browser, setting, owner, { path: at('/keys') });
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Change Test' }).click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Backend');
  t.strictSame(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('button', { name: 'Change Backend' }).click();
  await page.getByRole('menuitem', { name: 'New secret' }).click();
  await dialog.getByRole('button', { name: 'New secret' }).click();
  await dialog
    .getByRole('timer')
    .getByText(/59:\d\d/)
    .waitFor();
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
});
