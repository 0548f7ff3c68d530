/** The session of a browser's tab: the refresh cookie, a lock that all tabs share, and a channel by which they tell each other of its end. */
import { ApiError, Skein, type TokenResponse } from '../sdk/index.ts';
import { Session } from './session.ts';

/** For the calls that need no credential. The cookie goes along to the same origin. */
export const anonymous = new Skein({ apiKey: null, baseUrl: location.origin, maxRetries: 1 });

const tabs = new BroadcastChannel('skein-session');

export const session = new Session({
  now: Date.now,
  async refresh(): Promise<TokenResponse | undefined> {
    try {
      return await anonymous.auth.refresh();
    } catch (error) {
      // 401: no cookie, or its session is over.
      if (error instanceof ApiError && error.status === 401) return undefined;
      throw error;
    }
  },
  // A page that came by plain http from another machine has no locks: then tabs may race, and one of them signs in again.
  exclusively: work => ('locks' in navigator ? navigator.locks.request('skein-refresh', work) : work()),
});

tabs.onmessage = () => session.end();

/** The calls of who is signed in. */
export const skein = new Skein({
  baseUrl: location.origin,
  apiKey: async () => (await session.getToken()) ?? '',
});

/** Ends the session here, on the server, and in the other tabs. */
export async function signOut(): Promise<void> {
  try {
    await anonymous.auth.logout();
  } finally {
    tabs.postMessage('ended');
    session.end();
  }
}
