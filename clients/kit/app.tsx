/** What every app stands in: styles, theme and queries. */
import '@mantine/core/styles.layer.css';
import '@fontsource-variable/inter/index.css';
import '@fontsource-variable/jetbrains-mono/index.css';
import './theme.css';
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { type AppIdentity, AppIdentityProvider } from './app-identity.ts';
import { watchMissingFiles } from './missing-files.ts';
import { nonce } from './nonce.ts';
import { resolveVariables, theme } from './theme.ts';
import { KitTextsProvider } from './texts/index.ts';

/** The stream says what has changed, so that nothing is asked for again by itself. The SDK repeats what failed. */
export const queries = new QueryClient({
  defaultOptions: { queries: { staleTime: 30_000, retry: false, refetchOnWindowFocus: false } },
});

/** Draws an app into the page. */
export function mount(identity: AppIdentity, app: ReactNode): void {
  const root = document.getElementById('root');
  if (root === null) throw new Error('the page has no root');
  watchMissingFiles();
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <MantineProvider
          theme={theme}
          cssVariablesResolver={resolveVariables}
          defaultColorScheme="auto"
          getStyleNonce={() => nonce}
        >
          <AppIdentityProvider value={identity}>
            <KitTextsProvider>{app}</KitTextsProvider>
          </AppIdentityProvider>
        </MantineProvider>
      </QueryClientProvider>
    </StrictMode>,
  );
}
