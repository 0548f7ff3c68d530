/** The page of something that is not there: not yet, or not at all. */
import type { ReactNode } from 'react';
import { useKitTexts } from '../../kit/texts/index.ts';
import { ErrorNote } from './error-note.tsx';
import { Page } from './page.tsx';

interface PagePendingProps {
  readonly back: ReactNode;
  readonly error: unknown;
  /** Says that there is no such thing. */
  readonly missing: string;
}

export function PagePending({ back, error, missing }: PagePendingProps) {
  const { loading } = useKitTexts().shell;
  return (
    <Page title={error == null ? loading : missing} back={back}>
      <ErrorNote error={error} />
    </Page>
  );
}
