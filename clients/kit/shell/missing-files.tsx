/** Says that files of the page are gone, and offers to load it anew. Loaded with what its reader may lose: later it might be gone itself. */
import { Alert, Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { onMissingFile, reloadPage } from '../missing-files.ts';
import { useKitTexts } from '../texts/index.ts';
import classes from './missing-files.module.css';

/** @param text what has happened, and what becomes of what was written */
export function MissingFiles({ text }: { readonly text: string }) {
  const { account, shell } = useKitTexts();
  const [isShown, setShown] = useState(false);
  const [isUnreachable, setUnreachable] = useState(false);
  useEffect(() => onMissingFile(() => setShown(true)), []);
  if (!isShown) return null;
  return (
    <Alert
      role="alert"
      color="yellow"
      variant="filled"
      autoContrast
      className={classes['notice']}
      withCloseButton
      closeButtonLabel={shell.close}
      onClose={() => setShown(false)}
    >
      <p>{text}</p>
      {isUnreachable && <p>{account.problems.unreachable}</p>}
      <Button
        size="compact-sm"
        variant="default"
        onClick={() => void reloadPage().then(isReached => setUnreachable(!isReached))}
      >
        {shell.reload}
      </Button>
    </Alert>
  );
}
