/** Brings what the chat provider's webhooks say to threads, as the command by which messages of custom channels come. */
import { ServiceError } from '../../protocol/errors.ts';
import { deriveThreadId, newId } from '../../protocol/ids.ts';
import type { ReceiveFromProvider } from '../channel/index.ts';
import { createIfMissingField, type ReceiveMessage } from './commands.ts';

/** Rejects as the thread does, but not where the channel has the message already. */
export const receiveFromProvider: ReceiveFromProvider = async (ask, channel, message, now) => {
  const { projectId, environmentId, channelId, kind, defaultAgentId } = channel;
  const { externalMessageId, participant, body, sentAt, opensWindow } = message;
  const command: ReceiveMessage = {
    projectId,
    environmentId,
    channel: { channelId, kind, defaultAgentId },
    [createIfMissingField]: { externalRef: participant, metadata: {} },
    message: { messageId: newId('message', now), externalMessageId, body, attachments: [], metadata: {} },
    windowFrom: opensWindow ? sentAt : null,
  };
  const thread = { kind: 'thread', id: deriveThreadId(environmentId, channelId, participant) };
  try {
    await ask(thread, 'receive', command);
  } catch (error) {
    if (!isTaken(error)) throw error;
  }
};

/** Whether another message of the channel has the provider's id: it was brought by another node meanwhile. */
function isTaken(error: unknown): boolean {
  return error instanceof ServiceError && error.details?.['scope'] === 'messages_external';
}
