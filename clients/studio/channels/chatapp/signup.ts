/**
 * An embedded sign-up as a redirect: this page -> the provider's -> `/studio/chatapp`, with a code that lives 30 seconds. What it is for stays in
 * this tab meanwhile, by a name that nobody can guess: an answer that names another is not taken.
 */
export interface SignupPage {
  readonly url: string;
  /** Of the service's own app; empty: it has none. */
  readonly appId: string;
  readonly configId: string;
}

/** What the node says in its pages (gateway/web/serve.ts). Undefined in a page of the development server. */
export function findSignupPage(): SignupPage | undefined {
  const hint = document.querySelector<HTMLMetaElement>('meta[name="skein-chatapp"]');
  if (hint === null) return undefined;
  const { appId = '', configId = '' } = hint.dataset;
  return { url: hint.content, appId, configId };
}

export const getRedirectUri = (): string => `${location.origin}/studio/chatapp`;

/** What is to be connected when the provider has answered. No secrets: it lies in the tab's storage. */
export interface SignupFlow {
  readonly projectId: string;
  readonly environmentId: string;
  readonly channelId: string;
  readonly partnerAppCredentialId?: string | undefined;
  readonly wabaId?: string | undefined;
  readonly phoneNumberId?: string | undefined;
  /** The number's PIN is asked for then. */
  readonly hasPin: boolean;
}

const key = 'skein-chatapp-signup';

/** The address of the provider's page. */
export function beginSignup(
  page: SignupPage,
  { appId, configId }: { readonly appId: string; readonly configId: string },
  flow: SignupFlow,
): string {
  const state = crypto.getRandomValues(new Uint8Array(16)).reduce((text, byte) => text + toHex(byte), 's');
  sessionStorage.setItem(key, JSON.stringify({ state, flow }));
  const url = new URL(page.url);
  const fields = {
    client_id: appId,
    config_id: configId,
    redirect_uri: getRedirectUri(),
    response_type: 'code',
    override_default_response_type: 'true',
    extras: JSON.stringify({ setup: {}, sessionInfoVersion: '3' }),
    state,
  };
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
  return url.href;
}

const toHex = (byte: number): string => byte.toString(16).padStart(2, '0');

/** Once. Undefined: the answer belongs to no sign-up of this tab. */
export function takeSignup(state: string | null): SignupFlow | undefined {
  const text = sessionStorage.getItem(key);
  sessionStorage.removeItem(key);
  if (text === null) return undefined;
  const kept = JSON.parse(text) as { readonly state: string; readonly flow: SignupFlow };
  return kept.state === state ? kept.flow : undefined;
}
