/** Canned replies: which ones fit what was written behind the `/`, and their text with the placeholders filled in. */
import { toShownName } from '../../kit/shown-name.ts';
import type { CannedReply, Thread } from '../../sdk/index.ts';

/** What the placeholders stand for. */
export interface CannedReplySource {
  readonly thread: Pick<Thread, 'participant' | 'externalRef' | 'customFields'>;
  readonly operatorName: string;
}

const placeholder =
  /\{\{\s*(participant\.name|participant\.ref|operator\.name|thread\.customFields\.([^{}\s]+))\s*\}\}/g;

/** Those whose shortcut begins with what was written, then those with it in their title. */
export function findCannedReplies(replies: readonly CannedReply[], written: string): readonly CannedReply[] {
  const wanted = written.toLocaleLowerCase();
  const byShortcut = replies.filter(({ shortcut }) => shortcut.startsWith(`/${wanted}`));
  const byTitle = replies.filter(
    reply => !byShortcut.includes(reply) && reply.title.toLocaleLowerCase().includes(wanted),
  );
  return [...byShortcut, ...byTitle];
}

/** Each value is put in once: a placeholder in it is text. A name turns the direction of nothing that is written around it. */
export function fillCannedReply(body: string, { thread, operatorName }: CannedReplySource): string {
  const { participant, externalRef, customFields } = thread;
  return body.replaceAll(placeholder, (_whole, name: string, field: string | undefined) => {
    if (field !== undefined) return describe(customFields?.[field]);
    if (name === 'participant.name') return toShownName(participant?.displayName ?? '');
    if (name === 'participant.ref') {
      return toShownName(participant?.externalParticipantRef ?? externalRef ?? '');
    }
    return operatorName;
  });
}

function describe(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
