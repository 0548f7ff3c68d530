/**
 * Every screen of the Console and each state that it can be in, by what opens it: one list for the test that nobody is kept out, for the
 * bench that counts it, and for pictures. Each begins where the one before has ended.
 */
import type { Locator, Page } from 'playwright-core';
import type { Stage } from './stage.ts';

export interface Screen {
  readonly name: string;
  readonly open: (page: Page, stage: Stage) => Promise<void>;
}

export const getCard = (page: Page): Locator => page.getByRole('region', { name: 'Suggestion' });
export const getLog = (page: Page): Locator => page.getByRole('log', { name: 'Messages' });
const getTemplates = (page: Page): Locator => page.getByRole('region', { name: 'Templates' });

/** Shows the page light or dark, as the device would ask for it. */
export async function showIn(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor({ state: 'attached' });
}

const go = async (page: Page, { account: { baseUrl } }: Stage, path: string): Promise<void> => {
  await page.goto(`${baseUrl}${path}`);
};
/** By the page's own links: without loading it anew. */
const choose = (page: Page, name: string): Promise<void> =>
  page.getByRole('option', { name }).first().click();
const press = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('button', { name, exact: true }).first().click();
async function closeDialog(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}
async function closeMenu(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'detached' });
}
/** Opens one of the menus of what is chosen. */
async function openChosen(page: Page, name: string, item: string): Promise<void> {
  await page
    .getByRole('toolbar', { name: 'Selected conversations' })
    .getByRole('button', { name, exact: true })
    .click();
  await page.getByRole('menuitem', { name: item }).waitFor();
}
/** The menu of a message. */
async function openMessageMenu(message: Locator): Promise<void> {
  await message.hover();
  await message.getByRole('button', { name: 'Message actions' }).click();
}

const list: readonly Screen[] = [
  {
    name: 'list',
    open: async (page, stage) => {
      await go(page, stage, stage.path('all'));
      await page.getByRole('option', { name: 'Maya Lindqvist' }).waitFor();
    },
  },
  {
    name: 'chosen',
    open: async page => {
      await page.getByRole('option', { name: 'Maya Lindqvist' }).click({ modifiers: ['Control'] });
      await page.getByText('1 selected').waitFor();
    },
  },
  { name: 'chosen-assign', open: page => openChosen(page, 'Assign', 'Nobody') },
  {
    name: 'chosen-tag',
    open: async page => {
      await closeMenu(page);
      await press(page, 'Tag');
      await page.getByRole('combobox', { name: 'Tags' }).waitFor();
    },
  },
  {
    name: 'chosen-snooze',
    open: async page => {
      await closeDialog(page);
      await openChosen(page, 'Snooze', 'Tomorrow');
    },
  },
  {
    name: 'filters',
    open: async page => {
      await closeMenu(page);
      await press(page, 'Clear selection');
      await press(page, 'Filter');
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'keep-filter',
    open: async page => {
      await closeDialog(page);
      await press(page, 'Save these filters');
      await page.getByRole('dialog').getByLabel('Name of this filter').fill('Everything');
    },
  },
  {
    name: 'saved-filter-menu',
    open: async page => {
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'Everything' }).hover();
      await press(page, 'Change “Everything”');
      await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
    },
  },
  {
    name: 'account-menu',
    open: async page => {
      // What comes next is seen without it.
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await page.getByRole('menuitem', { name: 'Delete it' }).click();
      await page.getByRole('link', { name: 'Everything' }).waitFor({ state: 'detached' });
      await press(page, /settings and sign out$/);
      await page.getByRole('menuitem', { name: 'Settings' }).waitFor();
    },
  },
  {
    name: 'keyboard',
    open: async page => {
      await closeMenu(page);
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    },
  },
  {
    name: 'search',
    open: async page => {
      await closeDialog(page);
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search' }).fill('maya');
      await page
        .getByRole('listbox', { name: 'What was found' })
        .getByRole('option', { name: 'Maya Lindqvist' })
        .waitFor();
    },
  },
  {
    name: 'empty-queue',
    open: async page => {
      await closeDialog(page);
      await page.getByRole('link', { name: /^Closed/ }).click();
      await page.getByText('No closed conversations.').waitFor();
    },
  },
];

const conversation: readonly Screen[] = [
  {
    name: 'conversation',
    open: async page => {
      await page.getByRole('link', { name: /^All open/ }).click();
      await choose(page, 'Yuki Tanaka');
      await getLog(page).getByText('Not delivered: The phone is switched off').waitFor();
      await getLog(page).getByRole('button', { name: 'Open broken-cup.png' }).waitFor();
    },
  },
  {
    name: 'assign-menu',
    open: async page => {
      await press(page, /^Assigned to /);
      await page.getByRole('menuitem', { name: 'Assign to nobody' }).waitFor();
    },
  },
  {
    name: 'more-menu',
    open: async page => {
      await page.keyboard.press('Escape');
      await press(page, 'More');
      await page.getByRole('menuitem', { name: 'Copy link' }).waitFor();
    },
  },
  {
    name: 'participant',
    open: async page => {
      await closeMenu(page);
      await press(page, 'Participant and details');
      await page.getByRole('complementary', { name: 'Participant and details' }).getByText('Gold').waitFor();
    },
  },
  {
    name: 'lightbox',
    open: async page => {
      await press(page, 'Close the panel');
      await getLog(page).getByRole('button', { name: 'Open broken-cup.png' }).click();
      await page.getByRole('dialog', { name: 'broken-cup.png' }).waitFor();
    },
  },
  {
    name: 'message-menu',
    open: async page => {
      await closeDialog(page);
      await openMessageMenu(getLog(page).getByRole('article').filter({ hasText: 'We send you a new one.' }));
      await page.getByRole('menuitem', { name: 'Message timeline' }).waitFor();
    },
  },
  {
    name: 'timeline-drawer',
    open: async page => {
      await page.getByRole('menuitem', { name: 'Message timeline' }).click();
      const timeline = page.getByRole('dialog', { name: 'Message timeline' });
      await timeline.getByText('Written', { exact: true }).waitFor();
    },
  },
  {
    name: 'canned-replies',
    open: async page => {
      await closeDialog(page);
      await page.getByRole('textbox', { name: 'Reply' }).click();
      await page.keyboard.type('/');
      await page.getByRole('listbox', { name: 'Canned replies' }).getByRole('option').first().waitFor();
    },
  },
  {
    name: 'note',
    open: async page => {
      await page.keyboard.press('Backspace');
      await page.getByText('Note', { exact: true }).last().click();
      await page.getByRole('textbox', { name: 'Note' }).fill('Call her tomorrow.');
    },
  },
  {
    name: 'send-setting',
    open: async page => {
      await press(page, 'What sends a message');
      await page.getByRole('menuitemradio', { name: /^Enter sends/ }).waitFor();
    },
  },
];

const agent: readonly Screen[] = [
  {
    name: 'suggestion',
    open: async (page, stage) => {
      await go(page, stage, stage.path('approval', stage.threads.suggestion));
      await getCard(page).getByText('I have found it').waitFor();
      await getLog(page).getByText('Where is my order A17?').waitFor();
    },
  },
  {
    name: 'run-drawer',
    open: async page => {
      await getCard(page).getByRole('button', { name: 'Details of the run' }).click();
      const run = page.getByRole('dialog', { name: 'Run of the agent' });
      await run.getByText('Tool lookup_order').waitFor();
    },
  },
  {
    name: 'discard',
    open: async page => {
      await closeDialog(page);
      await getCard(page).getByRole('button', { name: 'Discard' }).click();
      await getCard(page).getByRole('button', { name: 'Discard it' }).waitFor();
    },
  },
  {
    name: 'edit',
    open: async page => {
      await getCard(page).getByRole('button', { name: 'Keep it' }).click();
      await getCard(page).getByRole('button', { name: 'Edit' }).click();
      const editor = getCard(page).getByRole('textbox', { name: 'Edited suggestion' });
      await editor.fill(
        'I have found it: your parcel left our warehouse this morning and arrives on Thursday.',
      );
      await getCard(page).getByRole('group', { name: 'Your changes' }).waitFor();
    },
  },
  {
    name: 'tool-approval',
    open: async (page, stage) => {
      await go(page, stage, stage.path('all', stage.threads.approval));
      const wanted = page.getByRole('region', { name: 'The agent wants to use a tool' });
      await wanted.getByText('D58').waitFor();
    },
  },
  {
    name: 'handoff',
    open: async page => {
      await choose(page, 'Hugo Bernard');
      await page.getByText('The agent asks for a person: A complaint').waitFor();
    },
  },
];

const rest: readonly Screen[] = [
  {
    name: 'templates',
    open: async page => {
      await choose(page, 'Tomás Herrera');
      await getTemplates(page)
        .getByRole('button', { name: /order_sent/ })
        .waitFor();
    },
  },
  {
    name: 'template-media',
    open: async page => {
      await getTemplates(page)
        .getByRole('button', { name: /autumn_sale/ })
        .click();
      await getTemplates(page).getByRole('textbox', { name: 'Link of the picture' }).waitFor();
    },
  },
  {
    name: 'template',
    open: async page => {
      await press(page, 'All templates');
      await getTemplates(page)
        .getByRole('button', { name: /order_sent/ })
        .click();
      await getTemplates(page).getByRole('textbox', { name: 'Value of {{1}}' }).fill('Tomás');
      await getTemplates(page).getByText('Hello Tomás, your order').waitFor();
    },
  },
  {
    name: 'window-closed',
    open: async page => {
      await page.keyboard.press('Escape');
      await page.getByText('The window of this conversation is closed').waitFor();
      await page.getByRole('button', { name: 'Choose a template' }).waitFor();
    },
  },
  {
    name: 'erased',
    open: async (page, stage) => {
      await go(page, stage, stage.path('all', stage.threads.erased));
      await page.getByRole('heading', { name: /^(?:Unknown|Erased) participant$/ }).waitFor();
    },
  },
  {
    name: 'snoozed',
    open: async page => {
      await page.getByRole('link', { name: /^Snoozed/ }).click();
      await choose(page, 'Arjun Patel');
      await page
        .getByText(/^Snoozed until /)
        .first()
        .waitFor();
    },
  },
  {
    name: 'settings',
    open: async (page, stage) => {
      await go(page, stage, '/console/settings');
      await page.getByRole('heading', { name: 'Appearance and language' }).waitFor();
    },
  },
  {
    name: 'canned-replies-page',
    open: async (page, stage) => {
      await go(page, stage, `/console/settings/canned-replies/${stage.account.projectId}`);
      await page.getByRole('button', { name: 'Edit /parcel' }).waitFor();
    },
  },
  {
    name: 'canned-reply',
    open: async page => {
      await press(page, 'Edit /parcel');
      await page.getByRole('form').getByLabel('Shortcut').waitFor();
    },
  },
  {
    name: 'production',
    open: async (page, stage) => {
      await go(page, stage, stage.productionPath);
      await page.getByText('Production: real customers').waitFor();
      await page.getByText('No open conversations.').waitFor();
    },
  },
  {
    // The last one: the page has no stream from now on.
    name: 'reconnecting',
    open: async (page, stage) => {
      await page.routeWebSocket(/events\/stream/, socket => socket.close({ code: 1012, reason: 'cut' }));
      await go(page, stage, stage.path('all'));
      await page.getByRole('option').first().waitFor();
      await page
        .getByRole('banner')
        .getByRole('status')
        .filter({ hasText: /^Reconnecting in/ })
        .waitFor();
    },
  },
];

export const screens: readonly Screen[] = [...list, ...conversation, ...agent, ...rest];
