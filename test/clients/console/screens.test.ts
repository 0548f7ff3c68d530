/** All screens of the Console and their states, light and dark: nobody who depends on assistive technology is kept out of one. */
import { join } from 'node:path';
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { findBarriers, openConsole, startConsole } from './console-page.ts';
import { screens, showIn } from './screens.ts';
import { setStage, startStageServices } from './stage.ts';

const services = await startStageServices(t);
const setting = await startConsole(t, services.variables);
const stage = await setStage(setting, services, userId =>
  setting.database.query('update users set email_verified_at = now() where user_id = $1', [userId]),
);
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
