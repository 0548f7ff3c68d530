/** Files that go with what an operator writes, and what is kept of it until it is sent. */
import type { Page, Request } from 'playwright-core';
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { eventually } from '../../support/eventually.ts';
import { findBarriers, openConsole, receive, shareConsole } from './console-page.ts';

const setting = await shareConsole(t);
const { skein, owner, projectId, environmentId } = setting;
const browser = await startChromium(t);

const toPath = (threadId: string): string => `/console/${projectId}/${environmentId}/all/${threadId}`;
const open = (t: Parameters<typeof openConsole>[0], threadId: string): Promise<Page> =>
  openConsole(t, browser, setting, owner, { path: toPath(threadId) });
const getLog = (page: Page) => page.getByRole('log', { name: 'Messages' });
const getInput = (page: Page) => page.getByRole('textbox', { name: 'Reply' });

t.test('files are attached by button, shown with what is written, and may be taken back', async t => {
  await receive(setting, 'other-files', 'Elsewhere');
  const threadId = await receive(setting, 'files', 'Hello');
  const page = await open(t, threadId);
  await getLog(page).getByText('Hello').waitFor();
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Attach files' }).click();
  const file = (name: string, mimeType: string, content: string) => ({
    name,
    mimeType,
    buffer: Buffer.from(content),
  });
  await (
    await choosing
  ).setFiles([
    file('hours.txt', 'text/plain', 'nine to five'),
    file('wrong.txt', 'text/plain', 'not this one'),
  ]);
  await page.getByRole('button', { name: 'Remove wrong.txt' }).click();
  // What is attached belongs to its thread, and stays while another is looked at.
  await page.getByRole('option', { name: 'other-files' }).click();
  await getLog(page).getByText('Elsewhere').waitFor();
  t.equal(await page.getByRole('button', { name: 'Remove hours.txt' }).count(), 0);
  await page.goBack();
  await page.getByRole('button', { name: 'Remove hours.txt' }).waitFor();
  await getInput(page).fill('Our hours');
  const send = page.getByRole('button', { name: 'Send', exact: true });
  await send.click();
  const link = getLog(page).getByRole('link', { name: 'hours.txt' });
  await link.waitFor();
  const { messageId } = (await skein.messages.list(threadId, { order: 'desc', limit: 1 })).data[0] ?? {};
  const { attachments } = await skein.messages.get(threadId, messageId ?? '');
  t.match(attachments, [{ kind: 'document', filename: 'hours.txt' }]);
  t.equal(attachments.length, 1);
});

t.test('a file that was lost on its way is sent once more, and then the message with it', async t => {
  const threadId = await receive(setting, 'lost-file', 'Hello');
  const page = await open(t, threadId);
  await getLog(page).getByText('Hello').waitFor();
  // Nor what an error is told by.
  const isLost = (request: Request): boolean =>
    request.method() === 'PUT' || request.url().includes('/en-errors-');
  await page.route('**', route => (isLost(route.request()) ? route.abort() : route.fallback()));
  await page.reload();
  await getLog(page).getByText('Hello').waitFor();
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Attach files' }).click();
  const buffer = Buffer.from('nine to five');
  await (await choosing).setFiles([{ name: 'hours.txt', mimeType: 'text/plain', buffer }]);
  await page.getByText(/^Upload failed: The server cannot be reached\./).waitFor();
  await getInput(page).fill('Our hours');
  const send = page.getByRole('button', { name: 'Send', exact: true });
  t.equal(await send.isDisabled(), true, 'not without its file');
  // Off the button, whose tooltip stands outside of everything.
  await page.mouse.move(700, 300);
  await page.getByRole('tooltip').waitFor({ state: 'detached' });
  t.strictSame(await findBarriers(page), []);
  await page.unrouteAll({ behavior: 'wait' });
  await page.getByRole('button', { name: 'Upload hours.txt again' }).click();
  await send.click();
  await getLog(page).getByRole('link', { name: 'hours.txt' }).waitFor();
});

const form = 'form[aria-label="Write"]';

/** Drags or pastes a file or a text, as a person does it with the mouse or the keyboard. */
function transfer(
  page: Page,
  target: string,
  types: readonly string[],
  what: { readonly file?: string; readonly text?: string },
): Promise<unknown> {
  return page.evaluate(`(() => {
    const { file, text, types, target } = ${JSON.stringify({ ...what, types, target })};
    const data = new DataTransfer();
    if (file !== undefined) data.items.add(new File(['nine to five'], file, { type: 'text/plain' }));
    if (text !== undefined) data.setData('text/plain', text);
    const shared = { bubbles: true, cancelable: true };
    for (const type of types) {
      const event = type === 'paste'
        ? new ClipboardEvent(type, { ...shared, clipboardData: data })
        : new DragEvent(type, { ...shared, dataTransfer: data });
      document.querySelector(target).dispatchEvent(event);
    }
  })()`);
}
const dragged = ['dragover', 'drop'];

t.test('files come by drag and by paste, with the progress of each, and leave the kind as it is', async t => {
  const threadId = await receive(setting, 'dropped', 'Hello');
  const page = await open(t, threadId);
  await getLog(page).getByText('Hello').waitFor();
  const held = Promise.withResolvers<undefined>();
  await page.route('**', async route => {
    if (route.request().method() === 'PUT') await held.promise;
    await route.fallback();
  });
  await transfer(page, form, dragged, { file: 'dropped.txt' });
  const dropped = page.getByRole('progressbar', { name: /^dropped\.txt: \d+ % sent$/ });
  await dropped.waitFor();
  await page.getByRole('button', { name: /: settings and sign out$/ }).click();
  await page.getByRole('menuitem', { name: 'Settings' }).click();
  await page.waitForURL(/\/settings$/);
  await page.goBack();
  // It goes on while its operator looks at another page.
  await dropped.waitFor();
  // Who asks comes after the first page has.
  await eventually('somebody who asks', () =>
    page.evaluate<boolean>(`!dispatchEvent(new Event('beforeunload', { cancelable: true }))`),
  );
  const [asked] = await Promise.all([
    page.waitForEvent('dialog').then(async dialog => {
      await dialog.dismiss();
      return dialog;
    }),
    page.close({ runBeforeUnload: true }),
  ]);
  t.equal(asked.type(), 'beforeunload', 'closing the page would lose it');
  t.equal(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled(), true);
  held.resolve(undefined);
  await page.getByRole('progressbar').waitFor({ state: 'detached' });
  await transfer(page, `${form} textarea`, ['paste'], { file: 'cells.png', text: 'a\tb' });
  await transfer(page, `${form} textarea`, ['paste'], { file: 'pasted.txt' });
  await page.getByRole('button', { name: 'Remove pasted.txt' }).waitFor();
  t.equal(await page.getByRole('button', { name: 'Remove cells.png' }).count(), 0, 'a picture of its text');
  // A request that is on its way while routes are taken away may never arrive.
  await page.getByRole('progressbar').waitFor({ state: 'detached' });
  await page.unrouteAll({ behavior: 'wait' });

  await page.getByText('Note', { exact: true }).click();
  const note = page.getByRole('textbox', { name: 'Note' });
  await note.fill('Half');
  await transfer(page, form, dragged, { file: 'third.txt' });
  await page.getByText('3 files go with your reply').waitFor();
  t.equal(await note.inputValue(), 'Half', 'it is still a note');
  await transfer(page, form, dragged, { text: 'a word' });
  t.equal(await note.inputValue(), 'Half a word', 'text that is dropped is text');
  await note.fill('');
  await page.getByText('Reply', { exact: true }).first().click();
  await page.getByRole('progressbar').first().waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await getLog(page)
    .getByRole('link', { name: /third\.txt/ })
    .waitFor();
  await getLog(page).getByRole('img', { name: 'Sent' }).nth(2).waitFor();
  const { data } = await skein.messages.list(threadId, { order: 'asc' });
  t.strictSame(
    data.slice(1).map(({ attachments }) => attachments.map(({ filename }) => filename)),
    [['dropped.txt'], ['pasted.txt'], ['third.txt']],
    'without a text each is a message',
  );
});

t.test('what was begun is there again in another page of the browser, and not after signing out', async t => {
  const threadId = await receive(setting, 'kept', 'Which one?');
  const other = await receive(setting, 'kept-other', 'Elsewhere');
  const page = await open(t, threadId);
  await getLog(page).getByText('Which one?').hover();
  await getLog(page).getByRole('button', { name: 'Reply to this message' }).click();
  await getInput(page).fill('The red one');
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Attach files' }).click();
  const buffer = Buffer.from('nine to five');
  await (await choosing).setFiles([{ name: 'hours.txt', mimeType: 'text/plain', buffer }]);
  await page.getByRole('button', { name: 'Remove hours.txt' }).waitFor();
  await page.getByRole('progressbar').waitFor({ state: 'detached' });
  await page.goto(setting.baseUrl + toPath(other));
  await page.getByText('Note', { exact: true }).click();
  await page.getByRole('textbox', { name: 'Note' }).fill('To myself');

  // As after the browser was closed: nothing of the tab is left.
  const again = await page.context().newPage();
  await page.close();
  await again.goto(setting.baseUrl + toPath(other));
  await again.getByRole('textbox', { name: 'Note' }).waitFor();
  t.equal(await again.getByRole('textbox', { name: 'Note' }).inputValue(), 'To myself');
  await again.goto(setting.baseUrl + toPath(threadId));
  await again.getByText(/^Reply to kept/).waitFor();
  t.equal(await getInput(again).inputValue(), 'The red one');
  await again.getByRole('button', { name: 'Remove hours.txt' }).waitFor();
  await again.getByRole('button', { name: 'Send', exact: true }).click();
  await getLog(again)
    .getByRole('link', { name: /hours\.txt/ })
    .waitFor();
  const { data } = await skein.messages.list(threadId, { order: 'asc', limit: 2 });
  t.match(data[1], {
    body: 'The red one',
    replyTo: { messageId: data[0]?.messageId },
    attachments: [{ filename: 'hours.txt' }],
  });
  const count = () =>
    again.evaluate(() => Object.keys(localStorage).filter(key => key.startsWith('skein-draft:')).length);
  t.equal(await count(), 1, 'the note');
  await again.getByRole('button', { name: /settings and sign out$/ }).click();
  await again.getByRole('menuitem', { name: 'Sign out' }).click();
  await again.getByRole('button', { name: 'Sign in' }).waitFor();
  t.equal(await count(), 0);
});
