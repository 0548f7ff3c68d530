/** The files of a message: rows of their own, which the commit of the message takes. */
import { takeAttachment } from '../../storage/writes.ts';
import type { NewMessage } from './commands.ts';
import type { Draft } from './draft.ts';

/** Takes them for the message; the commit is refused where another message was faster. */
export function takeFiles(draft: Draft, { messageId, files }: NewMessage): void {
  if (files === undefined) return;
  const { projectId, environmentId } = draft.next;
  for (const attachmentId of files) {
    draft.writes.push(
      takeAttachment({ attachmentId, projectId, environmentId, threadId: draft.threadId, messageId }),
    );
  }
}
