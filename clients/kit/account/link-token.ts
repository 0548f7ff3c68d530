/** The token is used up, and need not stay in the address and in the history of the browser. */
export function forgetLinkToken(): void {
  history.replaceState(history.state, '', location.pathname);
}
