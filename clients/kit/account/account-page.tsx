/** The frame of the pages for somebody who is not signed in. */
import { Alert, Anchor, Button, type ButtonProps, Paper, Stack, Text, Title } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { useApp } from '../app-identity.ts';
import { tellFirstPage } from '../first-page.ts';
import icon from '../icon.svg';
import { useKitTexts } from '../texts/index.ts';
import classes from './account-page.module.css';

interface AccountPageProps {
  readonly title: string;
  readonly intro?: string | undefined;
  readonly children: ReactNode;
  /** Links to other pages. */
  readonly footer?: ReactNode;
}

export function AccountPage({ title, intro, children, footer }: AccountPageProps) {
  const { name } = useApp();
  useEffect(tellFirstPage, []);
  return (
    <main className={classes['page']}>
      <div className={classes['product']}>
        <img src={icon} alt="" width={22} height={22} />
        {name}
      </div>
      <Paper withBorder className={classes['card']}>
        <Stack gap="md">
          <Stack gap={4}>
            <Title order={1} size="h2">
              {title}
            </Title>
            {intro !== undefined && (
              <Text size="sm" c="dimmed">
                {intro}
              </Text>
            )}
          </Stack>
          {children}
        </Stack>
      </Paper>
      <div className={classes['footer']}>{footer}</div>
    </main>
  );
}

/** Stays in the page while it is empty: what comes into it is read out. */
export function Problem({ text }: { readonly text: string | undefined }) {
  return (
    <div role="alert">
      {text !== undefined && (
        <Alert color="red" p="xs">
          {text}
        </Alert>
      )}
    </div>
  );
}

/** What has succeeded. */
export function Done({ text }: { readonly text: string | undefined }) {
  return (
    <div role="status">
      {text !== undefined && (
        <Alert color="green" p="xs">
          {text}
        </Alert>
      )}
    </div>
  );
}

export const PageLink = createLink((props: { readonly href?: string; readonly children?: ReactNode }) => (
  <Anchor size="sm" {...props} />
));

export const PageButton = createLink(
  (props: ButtonProps & { readonly href?: string; readonly children?: ReactNode }) => (
    <Button component="a" size="sm" {...props} />
  ),
);

export function ToSignIn() {
  return (
    <PageLink to="/sign-in" search={{}}>
      {useKitTexts().account.toSignIn}
    </PageLink>
  );
}
