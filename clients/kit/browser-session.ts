/** The session of a browser's tab: the refresh cookie, a lock that all tabs share, and a channel by which they tell each other of its end. */
import { ApiError, Skein, type ClientOptions, type FetchFunction, type TokenResponse } from '../sdk/index.ts';
import { clearDrafts } from './kept-drafts.ts';
import { KeptKeys } from './kept-keys.ts';
import { Requests } from './requests.ts';
import { readUserId, Session } from './session.ts';

/** All requests but those of files. */
export const requests = new Requests((url, init) => fetch(url, init));

/** For the calls that need no credential. The cookie goes along to the same origin. */
export const anonymous = new Skein({
  apiKey: null,
  baseUrl: location.origin,
  maxRetries: 1,
  fetch: requests.fetch,
});

const tabs = new BroadcastChannel('skein-session');

export const session = new Session({
  now: Date.now,
  async refresh(): Promise<TokenResponse | 'expired' | 'noWorkspace'> {
    try {
      return note(await anonymous.auth.refresh());
    } catch (error) {
      // 401: no cookie, or its session is over.
      if (error instanceof ApiError && error.status === 401) return 'expired';
      if (error instanceof ApiError && error.code === 'svc/auth/no_workspace') return 'noWorkspace';
      throw error;
    }
  },
  // A page that came by plain http from another machine has no locks: then tabs may race, and one of them signs in again.
  exclusively: work => ('locks' in navigator ? navigator.locks.request('skein-refresh', work) : work()),
});

let userId: string | undefined;

/** Who was signed in the last time in this tab, or is. */
export const getUserId = (): string | undefined => userId;

/** Keeps whose token it is. */
function note(issued: TokenResponse): TokenResponse {
  userId = readUserId(issued.accessToken);
  return issued;
}

/** What tabs tell each other: somebody has signed in, by their id, or the session has ended. */
type Told = { readonly started: string | undefined } | 'signedOut';

tabs.onmessage = ({ data }: MessageEvent<Told>) => {
  if (data === 'signedOut') return leave();
  // Whoever waits for it goes on, and what is shown to somebody else is not shown any more.
  if (userId === undefined || data.started !== userId) location.reload();
  else if (!session.isSignedIn) void session.renew().catch(() => undefined);
};

const refusalListeners = new Set<() => void>();

/** The listener is called when the server refuses a change to who is signed in: their role may be another one by now. Returns what removes it. */
export function onRefusal(listener: () => void): () => void {
  refusalListeners.add(listener);
  return () => refusalListeners.delete(listener);
}

async function ask(url: string, init: RequestInit): Promise<Response> {
  const answer = await session.ask(requests.fetch, url, init);
  // What nobody but others may read says nothing. Who has no access any more is told that there is nothing.
  if ((answer.status === 403 || answer.status === 404) && init.method !== undefined && init.method !== 'GET')
    for (const listener of refusalListeners) listener();
  return answer;
}

type Tenant = Pick<ClientOptions, 'projectId' | 'environmentId'>;

/** A client of who is signed in. */
export function createOperatorClient(tenant: Tenant = {}, fetch: FetchFunction = ask): Skein {
  return new Skein({
    ...tenant,
    baseUrl: location.origin,
    apiKey: async () => (await session.getToken()) ?? '',
    fetch,
  });
}

const keptKeys = new KeptKeys(ask, Date.now);

/** For what people send by forms, and send again where no answer comes. Whoever chooses keys of their own has no use for it. */
export const createFormClient = (tenant: Tenant = {}): Skein => createOperatorClient(tenant, keptKeys.fetch);

/** The calls of who is signed in. */
export const skein = createFormClient();

/** Somebody has signed in here: by password, by signing up, or by an invitation. */
export function signIn(issued: TokenResponse): void {
  session.take(note(issued));
  tabs.postMessage({ started: userId } satisfies Told);
}

type SignOutQuestion = () => boolean | Promise<boolean>;

const signOutQuestions = new Set<SignOutQuestion>();

/** Asked before somebody signs out of their own will, who stays where it gives false. Returns what removes it. */
export function beforeSignOut(ask: SignOutQuestion): () => void {
  signOutQuestions.add(ask);
  return () => signOutQuestions.delete(ask);
}

/** Whether nothing is in the way of signing out: what would be lost was asked about. */
export async function maySignOut(): Promise<boolean> {
  for (const ask of signOutQuestions) if (!(await ask())) return false;
  return true;
}

/** Signs out, unless something is in the way. */
export async function askToSignOut(): Promise<void> {
  if (await maySignOut()) await signOut();
}

/** Ends the session here, on the server, and in the other tabs. */
export async function signOut(): Promise<void> {
  try {
    await anonymous.auth.logout();
  } finally {
    tabs.postMessage('signedOut' satisfies Told);
    leave();
  }
}

/** What was written and is not sent yet is nobody else's business. */
function leave(): void {
  sessionStorage.clear();
  clearDrafts(localStorage);
  session.end('signedOut');
}
