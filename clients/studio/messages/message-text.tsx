/** What a message says; of one without a text, what it is. */
import type { Message } from '../../sdk/index.ts';

export function MessageText({ message }: { readonly message: Message }) {
  const { body, content, attachments } = message;
  if (body !== '') return <bdi>{body}</bdi>;
  const names = attachments.map(({ filename }) => filename).join(', ');
  return <bdi>{content?.type ?? (names === '' ? '–' : names)}</bdi>;
}
