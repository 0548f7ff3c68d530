/** A channel that a program of the customer serves: tried from its page, and what waits for that program, until it takes it over. */
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { findBarriers, openConsole, shareConsole } from '../console/console-page.ts';

const setting = await shareConsole(t);
const { owner, skein, projectId, environmentId } = setting;
const browser = await startChromium(t);

t.test('a message is tried, and its answer waits for the program until it takes it over', async t => {
  const path = `/studio/${projectId}/${environmentId}/channels`;
  const page = await openConsole(t, browser, setting, owner, { path });
  await page.getByRole('main').getByRole('button', { name: 'Create channel' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Text messages');
  await dialog.getByRole('radio', { name: 'Custom' }).check();
  await dialog.getByRole('button', { name: 'Create channel' }).click();
  await page.getByText('Nothing is waiting for your program.').waitFor();
  const channelId = new URL(page.url()).pathname.split('/').at(-1) ?? '';

  const trial = page.getByRole('region', { name: 'Try it' });
  await trial.getByRole('textbox', { name: 'Participant' }).fill('+1 555 0100');
  await trial.getByRole('textbox', { name: 'Message' }).fill('Is <b>anybody</b> there?');
  await trial.getByRole('button', { name: 'Send as participant' }).click();
  await trial.getByText('Is <b>anybody</b> there?').waitFor();
  const [thread] = await skein.threads.list({ channelId }).toArray(1);
  await skein.messages.create(thread?.threadId ?? '', { body: 'Yes: <i>here</i>.' });

  const waiting = page.getByRole('table', { name: 'To be sent' }).getByRole('row');
  const command = waiting.filter({ hasText: 'channel.message.requested' });
  await command.getByText('Show', { exact: true }).click();
  await command.getByText('Yes: <i>here</i>.').waitFor();
  t.strictSame(await findBarriers(page), []);

  for await (const { eventId } of skein.channels.listCommands(channelId))
    await skein.channels.acknowledgeCommand(channelId, eventId);
  await page.getByText('Nothing is waiting for your program.').waitFor();
});
