/** What a stranger does first in Studio, one function for each step. */
import type { Page } from 'playwright-core';

export async function makeAccount(page: Page, email: string, password: string): Promise<void> {
  await page.getByRole('link', { name: 'Create an account' }).click();
  await page.getByRole('heading', { name: 'Create an account' }).waitFor();
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('textbox', { name: 'New password' }).fill(password);
  await page.getByRole('button', { name: 'Create the account' }).click();
  await page.getByText('0 of 6 done').waitFor();
}

/** A look at the page while a dialog is open. */
export type Look = () => Promise<unknown>;

export async function makeChannel(page: Page, look: Look): Promise<void> {
  await page.getByRole('button', { name: 'Create a channel' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Playground');
  await look();
  await page.getByRole('button', { name: 'Create channel' }).click();
  await page.getByRole('heading', { name: 'Playground' }).waitFor();
}

export async function writeMessage(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill('Is anybody there?');
  await page.getByRole('button', { name: 'Send as participant' }).click();
  await page.getByRole('log').getByText('Is anybody there?').waitFor();
}

/** From the start; ends with the dialog that shows the secret, whose step is done by then. */
export async function makeKey(page: Page, look: Look): Promise<void> {
  await page.getByRole('button', { name: 'Create an API key' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Shop backend');
  await look();
  await page.getByRole('button', { name: 'Create API key' }).click();
  await page.getByText('Copy the secret now').waitFor();
  await look();
  await page.getByText('3 of 6 done').waitFor();
}

/** From the start; ends with the dialog that shows the secret. */
export async function makeWebhook(page: Page, url: string, look: Look): Promise<void> {
  await page.getByRole('button', { name: 'Create a webhook' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Shop events');
  await page.getByRole('textbox', { name: 'Address' }).fill(url);
  await page.getByText('Selected events').click();
  await page.getByRole('checkbox', { name: 'Everything about thread' }).check();
  await look();
  await page.getByRole('button', { name: 'Create webhook' }).click();
  await page.getByText('4 of 6 done').waitFor();
}

/** What is shown this once. */
export async function readSecret(page: Page): Promise<string> {
  const shown = page.getByRole('dialog').getByRole('status').locator('code');
  const secret = (await shown.textContent()) ?? '';
  if (secret.length < 20) throw new Error(`no secret: ${secret}`);
  return secret;
}

export async function closeSecret(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'I have copied it' }).click();
}

/** On the page of the webhook. */
export async function sendTest(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Shop events' }).waitFor();
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByRole('button', { name: 'stitch.test.ping' }).click();
  await page.getByText('Responded 204').waitFor();
}
