/**
 * What an identity provider has sent back. It is read as the page begins, before the router writes the address anew, and is not in the address,
 * nor in the history of the browser, from then on.
 */
export interface SsoAnswer {
  readonly code: string | null;
  readonly state: string | null;
  readonly issuer: string | null;
}

function readAnswer(): SsoAnswer | undefined {
  if (!location.pathname.endsWith('/sso')) return undefined;
  const sent = new URLSearchParams(location.search);
  if (!sent.has('code') && !sent.has('error')) return undefined;
  history.replaceState(history.state, '', location.pathname);
  return { code: sent.get('code'), state: sent.get('state'), issuer: sent.get('iss') };
}

/** Undefined: the page was not opened by a provider. */
export const ssoAnswer = readAnswer();

/** What this tab knows of a sign-in that is at the provider: nobody else can finish it. */
export interface KeptFlow {
  readonly flow: string;
  /** Where to go then: a path of this origin. */
  readonly to: string;
}

const key = 'skein-sso';

export function keepFlow(flow: KeptFlow): void {
  sessionStorage.setItem(key, JSON.stringify(flow));
}

/** Once. */
export function takeFlow(): KeptFlow | undefined {
  const text = sessionStorage.getItem(key);
  sessionStorage.removeItem(key);
  if (text === null) return undefined;
  const { flow, to } = JSON.parse(text) as KeptFlow;
  return { flow, to: /^\/(?:studio|console)(?:[/?]|$)/.test(to) ? to : '/studio' };
}
