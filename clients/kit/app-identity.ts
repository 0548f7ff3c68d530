/** Which of the web apps this page is. */
import { createContext, useContext } from 'react';

export interface AppIdentity {
  readonly name: string;
  /** Where all its addresses begin: `/console`. */
  readonly path: string;
}

const Context = createContext<AppIdentity | undefined>(undefined);

export const AppIdentityProvider = Context.Provider;

export function useApp(): AppIdentity {
  const app = useContext(Context);
  if (app === undefined) throw new Error('the page has no app');
  return app;
}
