/** What stands where a page cannot: it could not be read, or there is none at this address. */
import { Button, Center, Stack, Text } from '@mantine/core';
import { useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { useEffect, useState, type ReactNode } from 'react';
import { ApiError, ConnectionError, TimeoutError } from '../../sdk/index.ts';
import { useApp } from '../app-identity.ts';
import { reloadPage } from '../missing-files.ts';
import { useKitTexts } from '../texts/index.ts';

/** Milliseconds between two tries to reach the server. */
const tryEveryMs = 3_000;

export function Failed({ error, reset }: ErrorComponentProps) {
  const { account, shell: texts } = useKitTexts();
  const router = useRouter();
  const isAway = isUnreachable(error);
  const [tries, setTries] = useState(0);
  const [isUnreached, setUnreached] = useState(false);
  useEffect(() => {
    if (!isAway) return undefined;
    const again = (): void => {
      setTries(count => count + 1);
      reset();
      void router.invalidate();
    };
    const timer = setTimeout(again, tryEveryMs);
    addEventListener('online', again);
    return () => {
      clearTimeout(timer);
      removeEventListener('online', again);
    };
  }, [isAway, tries, reset, router]);
  return (
    <Problem text={isAway ? texts.unreachable : isUnreached ? account.problems.unreachable : texts.failed}>
      {!isAway && (
        <Button
          variant="default"
          size="sm"
          onClick={() => void reloadPage().then(isReached => setUnreached(!isReached))}
        >
          {texts.reload}
        </Button>
      )}
    </Problem>
  );
}

function isUnreachable(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 503;
  return error instanceof ConnectionError || error instanceof TimeoutError;
}

export function NotFound() {
  const texts = useKitTexts().shell;
  const { name, path } = useApp();
  return (
    <Problem text={texts.notFound}>
      <Button variant="default" size="sm" component="a" href={path}>
        {texts.toStart(name)}
      </Button>
    </Problem>
  );
}

function Problem({ text, children }: { readonly text: string; readonly children: ReactNode }) {
  return (
    <Center h="100%" component="main">
      <Stack align="center" gap="sm" maw={420} p="md">
        <Text role="alert" ta="center">
          {text}
        </Text>
        {children}
      </Stack>
    </Center>
  );
}
