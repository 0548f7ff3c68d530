/** Asks before signing out would discard what is not sent yet, here or in another tab. */
import { useCallback } from 'react';
import { useSignOutLoss } from '../../kit/use-sign-out-loss.ts';
import { useTexts } from '../texts/index.ts';
import { holdsFiles } from './kept-uploads.ts';
import { hasUnsent, type KeptTexts } from './unsent-scopes.ts';

/** What this tab keeps. */
export const getKeptTexts = (): KeptTexts => Object.entries(sessionStorage) as [string, string][];

export const isAnythingUnsent = (): boolean => holdsFiles() || hasUnsent(getKeptTexts());

export function useUnsentLoss(): void {
  const { signOutUnsent } = useTexts().shell;
  useSignOutLoss(useCallback(() => (isAnythingUnsent() ? signOutUnsent : undefined), [signOutUnsent]));
}
