/** A role that is lowered or taken away while somebody writes: the page says so at once, and leaves them what they have written. */
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { addOperator, findBarriers, openConsole, receive, shareConsole } from './console-page.ts';

const setting = await shareConsole(t);
const browser = await startChromium(t);
const { owner, projectId, environmentId } = setting;
const threadId = await receive(setting, 'ada', 'Where is my parcel?', 'Ada Byron');
const path = `/console/${projectId}/${environmentId}/all/${threadId}`;

/** Somebody has written half of a reply. */
async function write(t: Test, email: { readonly email: string }): Promise<Page> {
  const page = await openConsole(t, browser, setting, email, { path });
  await page.getByText('Online').waitFor();
  await page.getByRole('textbox', { name: 'Reply' }).fill('It is on its');
  return page;
}

const getUnsent = (page: Page) => page.getByRole('textbox', { name: 'What you wrote, to copy' });

t.test('lowered: whoever may only read from now on keeps the text', async t => {
  const operator = await addOperator(setting);
  const page = await write(t, operator);
  await owner.api.request('upsertConsoleMember', {
    params: { projectId },
    body: { userId: operator.userId, role: 'viewer' },
  });
  await page.getByText('Your role lets you read these conversations, but not answer them.').waitFor({
    // Sooner than the roles are read anew by themselves.
    timeout: 20_000,
  });
  t.equal(await getUnsent(page).inputValue(), 'It is on its');
  t.equal(await page.getByRole('textbox', { name: 'Reply' }).count(), 0);
  t.equal(await page.getByRole('button', { name: 'Reply to this message' }).count(), 0);
  t.equal(await page.getByRole('button', { name: 'Close', exact: true }).count(), 0);
  await page.getByText('Where is my parcel?').first().waitFor();
  t.strictSame(await findBarriers(page), []);
});

t.test('lowered unseen: the first refusal tells', async t => {
  const operator = await addOperator(setting);
  const page = await write(t, operator);
  // Nothing comes by the stream any more.
  await page.routeWebSocket(/events\/stream/, () => undefined);
  await page.reload();
  await page.getByRole('textbox', { name: 'Reply' }).waitFor();
  await owner.api.request('upsertConsoleMember', {
    params: { projectId },
    body: { userId: operator.userId, role: 'viewer' },
  });
  const told = page.getByText('Your role lets you read these conversations, but not answer them.');
  // Where the machine is slow the page may have looked by itself before the click, and has no such button any more.
  const closing = page.getByRole('button', { name: 'Close', exact: true }).click();
  await Promise.race([closing.catch(() => told.waitFor()), told.waitFor()]);
  await told.waitFor({ timeout: 20_000 });
  t.equal(await getUnsent(page).inputValue(), 'It is on its');
});

t.test('taken away: the page says why, and gives the text back', async t => {
  const operator = await addOperator(setting);
  const page = await write(t, operator);
  await owner.api.request('removeConsoleMember', { params: { projectId, userId: operator.userId } });
  await page.getByText('You do not have access to this project.').waitFor();
  t.equal(await getUnsent(page).inputValue(), 'It is on its');
  t.equal(await page.getByText('Where is my parcel?').count(), 0);
  t.strictSame(await findBarriers(page), []);
});

t.test('who may only read is offered nothing to change, and asks for nothing that is refused', async t => {
  await setting.skein.threads.update(threadId, { tags: ['vip'], customFields: { Plan: 'Gold' } });
  const viewer = await addOperator(setting, 'viewer');
  const page = await openConsole(t, browser, setting, viewer, { path: '/console/settings' });
  const refused: string[] = [];
  page.on('response', response => {
    if (response.status() === 403) refused.push(`${response.request().method()} ${response.url()}`);
  });
  await page.goto(`${setting.baseUrl}${path}`);
  await page.getByText('Your role lets you read these conversations, but not answer them.').waitFor();
  await page.getByRole('button', { name: 'Participant and details' }).click();
  const panel = page.getByRole('complementary', { name: 'Participant and details' });
  await panel.getByText('vip', { exact: true }).waitFor();
  await panel.getByText('Gold', { exact: true }).waitFor();
  for (const name of ['Close', 'Assign', 'Edit the name', 'Remove vip', 'Edit Plan', 'Add a field'])
    t.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name);
  t.equal(await page.getByRole('radiogroup', { name: 'Agent mode' }).count(), 0);
  t.equal(await page.getByRole('textbox').count(), 0);
  t.equal(await page.locator(':disabled').count(), 0, 'nor is anything grey');
  t.strictSame(await findBarriers(page), []);
  t.strictSame(refused, []);
});
