import { prefixes } from '../../protocol/ids.ts';
import type { NewMessage } from './commands.ts';

/**
 * The message of a run's answer. Its id is made of the run's own: of one run there is one message, whoever sends it and however
 * often.
 */
export function answerMessage(agentRunId: string, body: string): NewMessage {
  const messageId = prefixes.message + agentRunId.slice(prefixes.run.length);
  return { messageId, body, attachments: [], metadata: { agentRunId } };
}
