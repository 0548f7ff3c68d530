/** The main flow of the Console: sign in, open a conversation, approve a suggestion, answer, see a new message, and close. */
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { eventually } from '../../support/eventually.ts';
import { getCard, getLog, startAgent, suggested } from './agent-setting.ts';
import { findBarriers, openPage, password, receive } from './console-page.ts';

const { setting } = await startAgent(t);
const { baseUrl, skein, owner } = setting;
const threadId = await receive(setting, 'ada', 'Your hours?', 'Ada Byron');
const browser = await startChromium(t);

t.test('an operator signs in, answers beside the agent, and closes the conversation', async t => {
  const page = await openPage(t, browser, `${baseUrl}/console`);
  await page.getByLabel('E-mail').fill(owner.email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  const row = page.getByRole('option', { name: 'Ada Byron' });
  await row.getByLabel('1 unread').waitFor();
  await page.getByText('Online').waitFor();
  await row.click();
  await row.getByLabel('1 unread').waitFor({ state: 'detached' });

  await getCard(page).getByText(suggested).waitFor();
  t.strictSame(await findBarriers(page), []);
  await getCard(page).getByRole('button', { name: 'Approve' }).click();
  await getCard(page).waitFor({ state: 'detached' });
  await getLog(page).getByText(suggested).waitFor();

  await page.getByRole('textbox', { name: 'Reply' }).fill('On Sundays until noon.');
  await page.keyboard.press('Enter');
  await getLog(page).getByRole('img', { name: 'Sent' }).nth(1).waitFor();
  t.equal(await page.getByRole('textbox', { name: 'Reply' }).inputValue(), '');

  await receive(setting, 'ada', 'And your hours tomorrow?', 'Ada Byron');
  await getLog(page).getByText('And your hours tomorrow?').waitFor();
  await row.getByText('And your hours tomorrow?').waitFor();
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await page.getByRole('button', { name: 'Reopen' }).waitFor();
  await page.getByText('No open conversations.').waitFor();
  await eventually('closed thread', async () => (await skein.threads.get(threadId)).status === 'closed');
  const messages = await skein.messages.list(threadId, { order: 'asc' }).toArray();
  t.strictSame(
    messages.map(({ body }) => body),
    ['Your hours?', suggested, 'On Sundays until noon.', 'And your hours tomorrow?'],
  );
  t.match(messages[2]?.actor, { type: 'user', id: owner.userId });
});
