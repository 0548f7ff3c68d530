/**
 * The embedded sign-up: a page on which somebody of a business lets an app act for one of its accounts, or does not, and the way back to the
 * app, with a code or without. The address that it leads back to has to be one of the app's, where the app has named any.
 */
import type { Accounts, App } from './accounts.ts';
import { noSuchObject, ProviderError } from './errors.ts';
import type { ProviderAnswer, ProviderRequest, Route } from './requests.ts';

/** What the provider adds to every address that it leads back to. */
const ending = '#_=_';

export function signupRoute(accounts: Accounts): Route {
  return request => {
    const { method, path } = request;
    if (method !== 'GET' || path[0] !== 'dialog' || path[1] !== 'oauth') return undefined;
    const app = accounts.findApp(request.query.get('client_id') ?? '');
    if (app === undefined) throw noSuchObject(request.query.get('client_id') ?? '');
    return answer(accounts, app, request);
  };
}

function answer(accounts: Accounts, app: App, { query }: ProviderRequest): ProviderAnswer {
  const redirectUri = query.get('redirect_uri') ?? '';
  if (!URL.canParse(redirectUri) || app.redirectUris?.includes(redirectUri) === false) {
    throw new ProviderError(100, { details: 'URL Blocked: the redirect URI is not one of the app.' });
  }
  if (query.get('response_type') !== 'code' || !query.get('config_id')) {
    throw new ProviderError(100, { details: 'response_type has to be code, with a config_id.' });
  }
  const leadBack = (fields: Readonly<Record<string, string>>): ProviderAnswer => {
    const url = new URL(redirectUri);
    const state = query.get('state');
    for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
    if (state !== null) url.searchParams.set('state', state);
    return { status: 302, body: {}, location: `${url.href}${ending}` };
  };
  const chosen = query.get('account');
  if (chosen === 'none') {
    const denied = { error: 'access_denied', error_reason: 'user_denied' };
    return leadBack({ ...denied, error_description: 'Permissions error' });
  }
  const account = accounts.findAccount(chosen ?? '');
  if (account === undefined) return showPage(accounts, query);
  const token = accounts.addToken(app, account, { type: 'SYSTEM_USER' });
  return leadBack({ code: accounts.addCode(token, redirectUri) });
}

function showPage(accounts: Accounts, query: URLSearchParams): ProviderAnswer {
  const link = (account: string, text: string): string => {
    const to = new URLSearchParams([...query, ['account', account]]);
    return `<p><a href="?${to.toString().replaceAll('&', '&amp;')}">${text}</a></p>`;
  };
  const links = accounts
    .listAccounts()
    .map(({ id, numbers }) => {
      const [first] = numbers;
      return link(id, `Continue as ${first?.verifiedName ?? 'a business'} (account ${id})`);
    })
    .join('');
  const head = `<!doctype html><html lang="en"><head><title>Sign up</title><link rel="icon" href="data:," /></head>`;
  const page = `${head}<body><main><h1>Connect your business</h1>${links}${link('none', 'Cancel')}</main></body></html>`;
  return { body: Buffer.from(page), contentType: 'text/html; charset=utf-8' };
}
