/** Whether strangers may make accounts here (SIGNUP): the node writes it into the page. In a page that says nothing, the server does. */
export const isSignUpOpen =
  document.querySelector<HTMLMetaElement>('meta[name="skein-signup"]')?.content !== 'disabled';
