/** Which of the web apps this page is. */
import { type ComponentType, createContext, useContext } from 'react';

export interface AppIdentity {
  readonly name: string;
  /** Where all its addresses begin: `/console`. */
  readonly path: string;
  /** Asks before anything is lost by signing out, on a page of somebody who is signed in and can work nowhere. */
  readonly SignOutWatch: ComponentType;
}

/** Where links of mails that this page asks for lead. */
export function useMailedApp(): 'console' | 'studio' {
  return useApp().path === '/console' ? 'console' : 'studio';
}

const Context = createContext<AppIdentity | undefined>(undefined);

export const AppIdentityProvider = Context.Provider;

export function useApp(): AppIdentity {
  const app = useContext(Context);
  if (app === undefined) throw new Error('the page has no app');
  return app;
}
