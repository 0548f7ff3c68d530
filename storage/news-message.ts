/**
 * The text of news between nodes:
 *
 *   <from> <seq of the first event>      events of one project that one commit made: they are numbered without gaps
 *   <eventName> <envelope>               one line for each
 *
 *   <from> ?                             the project has events that are not in a message: its log is to be read
 *
 * An envelope is compact JSON, which has no line breaks, and goes as it stands: a signature depends on its very bytes, and nobody
 * pays for quoting it. What a node cannot read, of a later version say, counts as the second form.
 */
import type { CommittedEvent } from './news.ts';

/** What a message says: undefined events are to be read from the log. */
export interface NewsMessage {
  readonly from: string;
  readonly events: readonly CommittedEvent[] | undefined;
}

/** The message that says no more than that there is something. */
export function encodeBehind(from: string): string {
  return `${from} ?`;
}

/**
 * Messages of at most `maxBytes` for consecutive events of one project, in their order. An event that is larger than that is only
 * announced.
 */
export function encodeEvents(from: string, events: readonly CommittedEvent[], maxBytes: number): string[] {
  const messages: string[] = [];
  let message = '';
  let bytes = 0;
  for (const { seq, eventName, body } of events) {
    const line = `\n${eventName} ${body}`;
    const size = Buffer.byteLength(line);
    const head = `${from} ${seq}`;
    if (message !== '' && bytes + size > maxBytes) {
      messages.push(message);
      message = '';
    }
    if (head.length + size > maxBytes) {
      messages.push(encodeBehind(from));
    } else if (message === '') {
      message = head + line;
      bytes = head.length + size;
    } else {
      message += line;
      bytes += size;
    }
  }
  if (message !== '') messages.push(message);
  return messages;
}

/** Never throws. */
export function decodeNews(projectId: string, text: string): NewsMessage {
  const [head = '', ...lines] = text.split('\n');
  const [from = '', first = ''] = head.split(' ');
  const events: CommittedEvent[] = [];
  if (!/^[1-9][0-9]{0,15}$/.test(first)) return { from, events: undefined };
  for (const line of lines) {
    const space = line.indexOf(' ');
    if (space < 1) return { from, events: undefined };
    const seq = Number(first) + events.length;
    events.push({ projectId, seq, eventName: line.slice(0, space), body: line.slice(space + 1) });
  }
  return { from, events };
}
