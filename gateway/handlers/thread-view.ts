/** A thread tells of its messages: by its preview, and by what a search finds. A key that may not read messages sees neither. */
import { ServiceError } from '../../protocol/errors.ts';
import { messageOperations } from '../../protocol/operations/index.ts';
import type { Thread } from '../../protocol/resources/index.ts';
import { admits, type Call } from '../pipeline/index.ts';

type Reader = Pick<Call, 'caller'>;

/** Of users, whoever reads threads reads messages; services see all. */
function readsMessages({ caller }: Reader): boolean {
  return caller?.type !== 'key' || admits(messageOperations.listMessages, caller, {});
}

/** Words are looked for in messages too: 403 for a key that may not read those. */
export function requireMessageReader(call: Reader): void {
  if (readsMessages(call)) return;
  throw new ServiceError('svc/auth/insufficient_scope', {
    message: 'Searching messages takes the scope messages:read.',
    details: { missingScopes: ['messages:read'] },
  });
}

/** The threads as the caller may see them. */
export function withoutUnreadable(call: Reader, threads: Thread[]): Thread[] {
  return readsMessages(call) ? threads : threads.map(({ preview: _, ...rest }) => rest);
}

/** The same of a thread's JSON text. */
export function withoutUnreadableJson(call: Reader, json: string): string {
  if (readsMessages(call)) return json;
  return JSON.stringify({ ...(JSON.parse(json) as Thread), preview: undefined });
}
