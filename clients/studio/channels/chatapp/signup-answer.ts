/**
 * What the chat provider has sent back at the end of an embedded sign-up. It is read as the page begins, before the router writes the address
 * anew, and is not in the address, nor in the history of the browser, from then on.
 */
export interface SignupAnswer {
  readonly code: string | null;
  readonly state: string | null;
  /** Why there is no code, in the provider's words. */
  readonly error: string | null;
}

function readAnswer(): SignupAnswer | undefined {
  if (!location.pathname.endsWith('/chatapp')) return undefined;
  const sent = new URLSearchParams(location.search);
  if (!sent.has('code') && !sent.has('error')) return undefined;
  history.replaceState(history.state, '', location.pathname);
  return {
    code: sent.get('code'),
    state: sent.get('state'),
    error: sent.get('error_description') ?? sent.get('error'),
  };
}

/** Undefined: the page was not opened by the provider. */
export const signupAnswer = readAnswer();
