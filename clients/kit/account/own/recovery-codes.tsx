/** Recovery codes, shown once. */
import { Alert, Button, Group, Text } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import classes from './section.module.css';
import { useOwnTexts } from './texts.ts';

interface RecoveryCodesProps {
  readonly codes: readonly string[];
  /** Their reader has written them down. */
  readonly onKept: () => void;
}

export function RecoveryCodes({ codes, onKept }: RecoveryCodesProps) {
  const texts = useOwnTexts().recoveryCodes;
  const clipboard = useClipboard();
  return (
    <Alert color="yellow" role="status" title={texts.title}>
      <Text size="sm" mb="sm">
        {texts.intro}
      </Text>
      <ul className={classes['codes']} aria-label={texts.title}>
        {codes.map(code => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group gap="xs" mt="sm">
        <Button variant="default" onClick={() => clipboard.copy(codes.join('\n'))}>
          {clipboard.copied ? texts.copied : texts.copy}
        </Button>
        <Button variant="default" onClick={onKept}>
          {texts.kept}
        </Button>
      </Group>
    </Alert>
  );
}
