/** All screens of the Console and their states, light and dark: nobody who depends on assistive technology is kept out of one. */
import { join } from 'node:path';
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import {
  expectInReach,
  findBarriers,
  openConsole,
  phone,
  shareConsole,
  verifyOwner,
} from './console-page.ts';
import { getCard, getLog, screens, showIn } from './screens.ts';
import { setStage, startStageServices } from './stage.ts';

const setting = await shareConsole(t);
const services = await startStageServices(t, setting);
const stage = await setStage(setting, services, () => verifyOwner(setting));
const browser = await startChromium(t);
const page = await openConsole(t, browser, setting, setting.owner, { path: '/console/settings' });
/** A folder for pictures of what is tested, to look at. */
const pictures = process.env['PICTURES'];

for (const { name, open } of screens) {
  t.test(name, async t => {
    await open(page, stage);
    for (const colorScheme of ['light', 'dark'] as const) {
      await showIn(page, colorScheme);
      t.strictSame(await findBarriers(page), [], colorScheme);
      if (pictures !== undefined)
        await page.screenshot({ path: join(pictures, `${name}-${colorScheme}.png`) });
    }
  });
}

t.test('on a phone a suggestion and templates leave room to each other, to messages and reply', async t => {
  const threadId = stage.threads.windowClosed;
  const [agent] = await setting.skein.agents.list().toArray(1);
  await setting.skein.agentRuns.create(agent?.agentId ?? '', { threadId });
  const onPhone = await openConsole(t, browser, setting, setting.owner, {
    ...phone,
    path: stage.path('all', threadId),
  });
  const card = getCard(onPhone);
  const templates = onPhone.getByRole('region', { name: 'Templates' });
  const offer = templates.getByRole('button', { name: /^order_sent/ });
  await card.getByRole('button', { name: 'Approve' }).waitFor();
  await offer.waitFor();
  const decisions = ['Approve', 'Edit', 'Discard', 'Take over'].map(name =>
    card.getByRole('button', { name }),
  );
  await expectInReach(
    t,
    onPhone,
    getLog(onPhone).getByText('The courier left my parcel with a neighbour.'),
    ...decisions,
    onPhone.getByRole('textbox', { name: 'Reply' }),
    templates.getByRole('button', { name: 'Close the templates' }),
  );
  await offer.tap();
  await templates.getByRole('textbox', { name: 'Value of {{1}}' }).fill('Tomás');
  await templates.getByRole('textbox', { name: 'Value of {{2}}' }).fill('A17');
  const send = templates.getByRole('button', { name: 'Send template' });
  await send.scrollIntoViewIfNeeded();
  await expectInReach(t, onPhone, ...decisions, send, onPhone.getByRole('textbox', { name: 'Reply' }));
});
