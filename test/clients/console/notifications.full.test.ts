/** What an operator hears of while they look elsewhere, and how they set it. */
import type { Page } from 'playwright-core';
import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { eventually } from '../../support/eventually.ts';
import { expectNoBarriers, findBarriers, openConsole, receive, shareConsole } from './console-page.ts';

/** The operator works in another window, or comes back. */
const setAway = (page: Page, isAway: boolean): Promise<unknown> =>
  page.evaluate(
    `document.hasFocus = () => ${!isAway}; dispatchEvent(new Event('${isAway ? 'blur' : 'focus'}'))`,
  );

/** The conversations are there, and what tells of new ones listens. */
async function seeQueues(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Queues' }).waitFor();
  await page.locator('html[data-notifies]').waitFor({ state: 'attached' });
}
const seeTitle = (page: Page, title: string): Promise<void> =>
  eventually(`title "${title}"`, async () => (await page.title()) === title);

/** Notes what the browser would show, and which sounds it makes. */
const recorder = `
  window.shown = [];
  window.opened = [];
  window.sounds = [];
  window.tones = 0;
  window.AudioContext = class extends AudioContext {
    constructor() { super(); window.sounds.push(this); }
    createOscillator() { window.tones++; return super.createOscillator(); }
  };
  window.Notification = class {
    static permission = 'default';
    static async requestPermission() { return (this.permission = 'granted'); }
    constructor(title, options) {
      window.shown.push({ title, body: options.body });
      window.opened.push(this);
    }
    close() {}
  };`;

t.test('notifications', async t => {
  const setting = await shareConsole(t);
  const browser = await startChromium(t);
  const page = await openConsole(t, browser, setting, setting.owner);
  await page.addInitScript(recorder);
  await page.reload();
  await seeQueues(page);
  await page.getByText('Online').waitFor();

  await t.test('the title counts conversations with something new, until somebody looks', async t => {
    await setAway(page, true);
    await receive(setting, '+491511', 'Is anybody there?', 'Ines Berg');
    await receive(setting, '+491512', 'Hello', 'Tom Wild');
    await receive(setting, '+491511', 'Hello?', 'Ines Berg');
    await seeTitle(page, '(2) Skein Console');
    await setAway(page, false);
    await seeTitle(page, 'Skein Console');
    t.strictSame(await page.evaluate('window.shown'), [], 'nothing else is on by itself');
  });

  await t.test('settings: notifications are turned on, and keep to themselves what was written', async t => {
    await page.getByRole('button', { name: /settings and sign out/ }).click();
    await page.getByRole('menuitem', { name: 'Settings' }).click();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await expectNoBarriers(t, page);
    await page.getByRole('switch', { name: 'Desktop notifications' }).click();
    await page.getByRole('link', { name: 'Back to the conversations' }).click();
    await seeQueues(page);
    await page.getByText('Online').waitFor();
    await setAway(page, true);
    await receive(setting, '+491511', 'My number is 4711', 'Ines Berg');
    await seeTitle(page, '(1) Skein Console');
    t.strictSame(await page.evaluate('window.shown'), [{ title: 'Ines Berg', body: 'New message' }]);
    t.equal(await page.evaluate('window.tones'), 0, 'none was asked for');
  });

  await t.test(
    'a click on one opens its conversation; what was written is shown where that is wanted',
    async t => {
      await page.evaluate('window.opened.at(-1).onclick()');
      await page.getByRole('log', { name: 'Messages' }).getByText('My number is 4711').waitFor();
      await setAway(page, false);
      await page.goto(`${setting.baseUrl}/console/settings`);
      await page.evaluate('Notification.permission = "granted"');
      await page.getByRole('switch', { name: 'Include the message text' }).click();
      await page.getByRole('switch', { name: 'Sound' }).click();
      await page.getByText('All conversations', { exact: true }).click();
      await eventually(
        'kept',
        async () => (await setting.owner.api.profile.get()).notifications.about === 'all',
      );
      t.match(await setting.owner.api.profile.get(), {
        notifications: { title: true, browser: true, sound: true, showText: true, about: 'all' },
      });
      const isPlaying = `window.sounds.length === 1 && window.sounds[0].state === 'running' && window.sounds[0].currentTime > 0`;
      await eventually('a sound', () => page.evaluate<boolean>(isPlaying));
      // Also whoever has gone from the settings hears of what happens.
      await page.locator('html[data-notifies]').waitFor({ state: 'attached' });
      await setAway(page, true);
      await receive(setting, '+491511', 'Hello again', 'Ines Berg');
      await seeTitle(page, '(1) Skein Console');
      await setAway(page, false);
      await page.getByRole('link', { name: 'Back to the conversations' }).click();
      await seeQueues(page);
      // A page that has made no sound yet: two that follow each other at once are one.
      await page.reload();
      await seeQueues(page);
      await page.getByText('Online').waitFor();
      await setAway(page, true);
      await page.evaluate('window.shown.length = 0; Notification.permission = "granted"');
      await receive(setting, '+491511', 'My number is 4712', 'Ines Berg');
      await seeTitle(page, '(1) Skein Console');
      await eventually('a notification', () => page.evaluate<boolean>('window.shown.length === 1'));
      t.strictSame(await page.evaluate('window.shown'), [{ title: 'Ines Berg', body: 'My number is 4712' }]);
      await eventually('two tones', () => page.evaluate<boolean>('window.tones === 2'));
      await setAway(page, false);
      // Off again, as the rest of the test expects it.
      await setting.owner.api.profile.update({ notifications: { sound: false, showText: false } });
    },
  );

  await t.test(
    'the page speaks German to whoever wants it, and knows the settings in a browser that is new',
    async t => {
      await page.evaluate(
        "for (const key of Object.keys(localStorage)) if (key.startsWith('skein-notifications')) localStorage.removeItem(key)",
      );
      await page.goto(`${setting.baseUrl}/console/settings`);
      await page.getByRole('combobox', { name: 'Language' }).click();
      await page.getByRole('option', { name: 'Deutsch' }).click();
      await page.getByRole('heading', { name: 'Einstellungen' }).waitFor();
      t.equal(await page.evaluate('document.documentElement.lang'), 'de');
      t.ok(await page.getByRole('switch', { name: 'Benachrichtigungen auf dem Schreibtisch' }).isChecked());
    },
  );

  await t.test('what was set follows the operator to another browser', async t => {
    await page.getByRole('textbox', { name: 'Name' }).fill('Ana Groß');
    await page.getByRole('button', { name: 'Speichern' }).click();
    await page.getByRole('radio', { name: 'Petrol' }).click();
    await page.getByRole('radio', { name: 'Petrol', checked: true }).waitFor();
    await page.getByText('Dunkel', { exact: true }).click();
    await eventually('theme', async () => (await setting.owner.api.profile.get()).theme === 'dark');
    t.strictSame(await findBarriers(page), []);
    const other = await openConsole(t, browser, setting, setting.owner);
    await other.getByRole('button', { name: 'Ana Groß: Einstellungen und Abmelden' }).waitFor();
    await other.locator('html[data-mantine-color-scheme=dark]').waitFor({ state: 'attached' });
    t.match(await setting.owner.api.profile.get(), {
      avatarColor: 'teal',
      language: 'de',
      notifications: { browser: true, sound: false, showText: false },
    });
  });
});
