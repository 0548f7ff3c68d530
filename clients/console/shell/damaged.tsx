/** Tells of messages that waited to be sent and that the browser has lost: what can still be read of them is there to be copied. */
import { Alert, Button, Textarea } from '@mantine/core';
import type { Outbox } from '../composer/outbox.ts';
import { useTexts } from '../texts/index.ts';
import classes from './damaged.module.css';

interface DamagedProps {
  readonly outbox: Outbox;
  readonly damaged: readonly string[];
}

export default function Damaged({ outbox, damaged }: DamagedProps) {
  const texts = useTexts().shell.damaged;
  const text = damaged.filter(each => each.trim() !== '').join('\n\n');
  return (
    <Alert className={classes['damaged']} color="red" title={texts.title(damaged.length)}>
      <p>{texts.hint}</p>
      {text !== '' && (
        <Textarea label={texts.text} readOnly autosize minRows={1} maxRows={6} dir="auto" value={text} />
      )}
      <Button mt="xs" variant="default" size="compact-xs" onClick={() => outbox.forgetDamaged()}>
        {texts.dismiss}
      </Button>
    </Alert>
  );
}
