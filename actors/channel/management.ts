/** Takes what webhooks of the chat provider report of the account: its templates, its state. */
import { type ChannelHead, findAccountSiblings } from '../../storage/reads/index.ts';
import { readAccountReport, type TemplateChange } from '../chatapp/index.ts';
import type { AnnounceTemplate } from './commands.ts';
import type { WebhookContent, WebhookTask } from './webhook-task.ts';

/** Resolves once everything that they report is committed. Rejects with the `ServiceError` of the actor that was asked. */
export async function takeManagementEvents(
  services: WebhookTask,
  channel: ChannelHead,
  webhooks: readonly WebhookContent[],
): Promise<void> {
  const { ask } = services;
  let isAccountChanged = false;
  for (const { payload, identity } of webhooks) {
    const report = readAccountReport(payload, identity);
    await announceTemplates(services, channel, identity.wabaId, report.templates);
    isAccountChanged ||= report.isAccountChanged;
  }
  if (isAccountChanged) await ask({ kind: 'channel', id: channel.channelId }, 'lookAtCredentials', {});
}

/**
 * Tells every channel of the account, since the provider posts what happens to templates to one address alone: that which the app's
 * settings name. The webhook is signed with the secret of this channel's app. So it proves what that app says of the account, to the tenant
 * who connected the channel with it: to no channel of another tenant, and to none that has another app.
 */
async function announceTemplates(
  { db, ask }: WebhookTask,
  channel: ChannelHead,
  wabaId: string,
  changes: readonly TemplateChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const { projectId, environmentId, channelId } = channel;
  const siblings = await findAccountSiblings(db, channel, wabaId);
  for (const change of changes) {
    const command: AnnounceTemplate = { projectId, environmentId, ...change };
    for (const id of [channelId, ...siblings])
      await ask({ kind: 'channel', id }, 'announceTemplate', command);
  }
}
