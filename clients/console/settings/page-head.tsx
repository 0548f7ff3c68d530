/** Above a page beside the work: its title, the way back, and what is not sent meanwhile. */
import { Text, Title } from '@mantine/core';
import { useEffect } from 'react';
import { PageLink } from '../../kit/account/account-page.tsx';
import { tellFirstPage } from '../../kit/first-page.ts';
import { useUnsentTexts } from '../composer/use-unsent-texts.ts';
import { useTexts } from '../texts/index.ts';
import { Meanwhile } from './meanwhile.tsx';
import classes from './settings.module.css';

export function PageHead({ title }: { readonly title: string }) {
  const { back } = useTexts().settings;
  const unsent = useUnsentTexts();
  useEffect(tellFirstPage, []);
  return (
    <div className={classes['head']}>
      <Title order={1}>{title}</Title>
      <PageLink to="/">{back}</PageLink>
      <Text size="sm" w="100%" role="status">
        {unsent.join(' · ')}
      </Text>
      <Meanwhile />
    </div>
  );
}
