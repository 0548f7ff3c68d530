/** A secret that is shown once: it is nowhere but in this component, and gone with it. */
import { ActionIcon, Alert, Code, Group } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { Check, Copy } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTexts } from '../texts/index.ts';
import classes from './secret.module.css';

export function Secret({ about, secret }: { readonly about: ReactNode; readonly secret: string }) {
  const texts = useTexts().secret;
  return (
    <Alert color="yellow" role="status">
      <p className={classes['about']}>{about}</p>
      <Copyable label={texts.copy} text={secret} />
    </Alert>
  );
}

/** Text that is made to be copied. */
export function Copyable({ label, text }: { readonly label: string; readonly text: string }) {
  const texts = useTexts().secret;
  const clipboard = useClipboard();
  return (
    <Group gap={6} wrap="nowrap">
      <Code className={classes['text']}>{text}</Code>
      <ActionIcon
        aria-label={clipboard.copied ? texts.copied : label}
        color={clipboard.copied ? 'green' : 'gray'}
        onClick={() => clipboard.copy(text)}
      >
        {clipboard.copied ? <Check size={16} /> : <Copy size={16} />}
      </ActionIcon>
    </Group>
  );
}
