/** The account of who is signed in: as in every app. */
import { Stack } from '@mantine/core';
import { OwnAccount } from '../../kit/account/own/own-account.tsx';
import { useKitTexts } from '../../kit/texts/index.ts';
import { PageHead } from './page-head.tsx';
import classes from './settings.module.css';

export function Account() {
  const { ownTitle: title } = useKitTexts().account;
  return (
    <main className={classes['page']}>
      <Stack gap="xl" className={classes['column']}>
        <PageHead title={title} />
        <OwnAccount />
      </Stack>
    </main>
  );
}
