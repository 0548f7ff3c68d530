/** Takes what webhooks of the chat provider report of the account: its templates, its state. */
import type { ChannelHead } from '../../storage/reads/index.ts';
import { readAccountReport } from '../chatapp/index.ts';
import type { AnnounceTemplate } from './commands.ts';
import type { WebhookContent, WebhookTask } from './webhook-task.ts';

/** Resolves once everything that they report is committed. Rejects with the `ServiceError` of the actor that was asked. */
export async function takeManagementEvents(
  { ask }: WebhookTask,
  { projectId, environmentId, channelId }: ChannelHead,
  webhooks: readonly WebhookContent[],
): Promise<void> {
  const reports = webhooks.map(({ payload, identity }) => readAccountReport(payload, identity));
  const channel = { kind: 'channel', id: channelId };
  for (const change of reports.flatMap(({ templates }) => templates)) {
    const command: AnnounceTemplate = { projectId, environmentId, ...change };
    await ask(channel, 'announceTemplate', command);
  }
  if (reports.some(({ isAccountChanged }) => isAccountChanged)) await ask(channel, 'lookAtCredentials', {});
}
