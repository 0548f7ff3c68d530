/** Starts the identity provider of server.js, and signs in at it as a browser does. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { withTimeLimit } from '../time-limit.ts';

export const clientId = 'skein';
export const clientSecret = 'a secret between the two';

interface Teardown {
  teardown(end: () => Promise<void>): unknown;
}

export interface OidcProvider {
  readonly issuer: string;
  /**
   * Follows the address to the provider and signs in there with the e-mail address; gives the address that it leads back to.
   */
  signIn(url: string, email: string): Promise<URL>;
}

/** Ends with the test. */
export async function startOidcProvider(t: Teardown, redirectUri: string): Promise<OidcProvider> {
  const child = fork(fileURLToPath(new URL('./server.js', import.meta.url)), {
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      CLIENT_ID: clientId,
      CLIENT_SECRET: clientSecret,
      REDIRECT_URI: redirectUri,
    },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  t.teardown(async () => {
    if (child.exitCode !== null) return;
    child.disconnect();
    await once(child, 'exit');
  });
  const [told] = (await withTimeLimit(once(child, 'message'), 'the identity provider')) as [
    { issuer: string },
  ];
  const { issuer } = told;
  return { issuer, signIn: (url, email) => signIn(issuer, url, email) };
}

async function signIn(issuer: string, url: string, email: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let next = new URL(url);
  let form: string | undefined;
  while (next.origin === issuer) {
    const response = await fetch(next, {
      redirect: 'manual',
      ...(form !== undefined && { method: 'POST', body: new URLSearchParams({ email: form }) }),
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location !== null) {
      next = new URL(location, next);
      form = undefined;
    } else if (response.status === 200 && form === undefined) form = email;
    else throw new Error(`the provider answers ${response.status}: ${await response.text()}`);
  }
  return next;
}
