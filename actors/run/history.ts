/** A conversation as models take it. */
import type { HistoryRow } from '../../storage/reads/plans.ts';

/** A message in the model library's form. */
export interface HistoryMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** What stands for messages that are not there. Providers want a conversation that a user begins, and that waits for an answer. */
const beginning = '(The conversation begins with a message of ours.)';
const nothing = '(There is no message yet.)';
const goOn = '(There is no new message. Go on.)';

/**
 * The newest messages within the budget, oldest first; the newest whatever its length. What a model costs is counted in its own
 * tokens, of which four characters are one, more or less.
 *
 * @param newestFirst as they are read
 * @param characters the budget
 */
export function historyOf(newestFirst: readonly HistoryRow[], characters: number): HistoryMessage[] {
  const history: HistoryMessage[] = [];
  let length = 0;
  for (const row of newestFirst) {
    const content = contentOf(row);
    // Personal data that was erased leaves an empty message behind.
    if (content === '') continue;
    length += content.length;
    if (length > characters && history.length > 0) break;
    history.unshift({ role: row.direction === 'inbound' ? 'user' : 'assistant', content });
  }
  if (history.length === 0) return [{ role: 'user', content: nothing }];
  if (history[0]?.role === 'assistant') history.unshift({ role: 'user', content: beginning });
  if (history.at(-1)?.role === 'assistant') history.push({ role: 'user', content: goOn });
  return history;
}

function contentOf({ body, attachments }: HistoryRow): string {
  const files = attachments.map(({ kind, filename, mimeType }) => {
    const details = [filename, mimeType].filter(text => text !== undefined);
    return `[${[`attached ${kind}`, ...details].join(', ')}]`;
  });
  return [body.trim() === '' ? '' : body, ...files].filter(text => text !== '').join('\n');
}
