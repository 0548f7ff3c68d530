/** What is archived is listed, and comes back from its list. */
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { expectNoBarriers, openConsole, shareConsole } from '../console/console-page.ts';

const setting = await shareConsole(t);
const { owner, skein, projectId, environmentId } = setting;
const at = (rest: string): string => `/studio/${projectId}/${environmentId}${rest}`;
const { loomId } = await skein.looms.create({
  name: 'Old desk',
  systemPrompt: 'Answer.',
  provider: 'llm_provider_1',
  model: 'gpt-4o-mini',
});
const { agentId } = await skein.agents.create({ name: 'Ava', mode: 'paused' });
const { stitch } = await skein.stitches.create({ name: 'Old shop', webhookUrl: 'https://example.com/hook' });
await skein.looms.archive(loomId);
await skein.agents.archive(agentId);
await skein.stitches.archive(stitch.stitchId);
const browser = await startChromium(t);

t.test('each list shows what is archived by its own address, and nothing else', async t => {
  const page = await openConsole(t, browser, setting, owner, { path: at('') });
  for (const [path, name, empty] of [
    ['/agents', 'Ava', 'No agent yet'],
    ['/instructions', 'Old desk', 'No instructions yet'],
    ['/webhooks', 'Old shop', 'No webhook yet'],
  ] as const) {
    await page.goto(`${setting.baseUrl}${at(path)}`);
    await page.getByText(empty).waitFor();
    t.equal(await page.getByText(name).count(), 0);
    await page.getByRole('switch', { name: 'Archived' }).check();
    await page.getByRole('table').getByText(name).first().waitFor();
    await expectNoBarriers(t, page, `${path}`);
    await page.reload();
    await page.getByRole('table').getByText(name).first().waitFor();
  }
});

t.test('an agent is restored from the list', async t => {
  const page = await openConsole(t, browser, setting, owner, { path: at('/agents?archived=yes') });
  await page.getByRole('button', { name: 'Change Ava' }).click();
  t.equal(await page.getByRole('menuitem').count(), 1, 'nothing else changes of it');
  await page.getByRole('menuitem', { name: 'Restore' }).click();
  await page.getByText('Nothing is archived.').waitFor();
  await page.getByRole('switch', { name: 'Archived' }).uncheck();
  await page.getByRole('table').getByText('Ava').first().waitFor();
  t.equal((await skein.agents.get(agentId)).archivedAt ?? null, null);
});
