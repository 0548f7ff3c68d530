/** The account of who is signed in: as in every app. */
import { Stack, Title } from '@mantine/core';
import { PageLink } from '../../kit/account/account-page.tsx';
import { OwnAccount } from '../../kit/account/own/own-account.tsx';
import { useKitTexts } from '../../kit/texts/index.ts';
import { useTexts } from '../texts/index.ts';
import classes from './settings.module.css';

export function Account() {
  const { ownTitle: title } = useKitTexts().account;
  const { back } = useTexts().settings;
  return (
    <main className={classes['page']}>
      <Stack gap="xl" className={classes['column']}>
        <div className={classes['head']}>
          <Title order={1}>{title}</Title>
          <PageLink to="/">{back}</PageLink>
        </div>
        <OwnAccount />
      </Stack>
    </main>
  );
}
