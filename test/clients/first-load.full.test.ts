/** What a browser loads before an app shows its first page. */
import t from 'tap';
import { startChromium } from '../support/chromium.ts';
import { openConsole, receive, shareConsole } from './console/console-page.ts';
import { visitFirst } from './first-visit.ts';

/** The sum of what has moved by itself in the page. */
const noteShifts = `
  globalThis.shift = 0;
  new PerformanceObserver(list => {
    for (const { value } of list.getEntries()) globalThis.shift += value;
  }).observe({ type: 'layout-shift', buffered: true });
`;

t.test(
  'the scripts of the first visit keep to their budget, and what comes behind moves nothing',
  async t => {
    const setting = await shareConsole(t);
    await receive(setting, '+4915100001', 'Where is my order?', 'Ada');
    const { baseUrl, projectId, environmentId, owner } = setting;
    const browser = await startChromium(t);
    const apps = [
      {
        app: 'console',
        budgetKiB: 240,
        path: `/console/${projectId}/${environmentId}/all`,
        shown: '[role=option]',
      },
      { app: 'studio', budgetKiB: 240, path: `/studio/${projectId}/${environmentId}`, shown: 'main h1' },
    ];
    for (const { app, budgetKiB, path, shown } of apps) {
      await t.test(app, async t => {
        const page = await openConsole(t, browser, setting, owner, { path: '/healthz' });
        await page.context().addInitScript(noteShifts);
        const { scripts, scriptBytes } = await visitFirst(page, `${baseUrl}${path}`, shown);
        const kib = scriptBytes / 1_024;
        t.ok(kib < budgetKiB, `${kib.toFixed(1)} KiB of ${budgetKiB}, by gzip: ${scripts.join(', ')}`);
        t.ok(kib > budgetKiB / 2, 'and they are what is loaded');
        t.notOk(
          scripts.some(name => name.startsWith('environment-field')),
          'what it does without comes later',
        );
        const field = page.getByRole('navigation').getByRole('combobox');
        const shiftBefore = await page.evaluate('globalThis.shift');
        await field.waitFor();
        t.equal(await page.evaluate('globalThis.shift'), shiftBefore);
      });
    }
  },
);
