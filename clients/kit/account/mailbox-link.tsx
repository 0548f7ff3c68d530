/** The way to the mails of a node that has no mail server: the node says in its pages whether it shows them (gateway/web/serve.ts). */
import { Anchor } from '@mantine/core';
import { useKitTexts } from '../texts/index.ts';

export function findMailbox(): string | undefined {
  return document.querySelector<HTMLMetaElement>('meta[name="skein-mailbox"]')?.content;
}

/** Nothing where mail is really sent. */
export function MailboxLink() {
  const text = useKitTexts().account.openMailbox;
  const path = findMailbox();
  if (path === undefined) return null;
  return (
    <Anchor href={path} target="_blank" rel="noopener" size="sm">
      {text}
    </Anchor>
  );
}
