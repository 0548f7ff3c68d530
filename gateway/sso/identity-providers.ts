/**
 * Identity providers by OpenID Connect: the code flow with PKCE, state and nonce (OpenID Connect Core 1.0, RFC 7636, RFC 9207). Their addresses
 * are named by customers, so that every request goes through the node's pool and its address guard, and follows no redirect. Plain http is for
 * where the guard is open, on a developer's machine.
 *
 * The library is loaded with the first use. It looks the provider up anew for every sign-in: there are few, and a key or an address that has
 * changed counts at once.
 */
import { timingSafeEqual } from 'node:crypto';
import { isEmailAddress, maxEmailLength } from '../../protocol/formats.ts';
import {
  getUrlRefusal,
  type OutboundRequest,
  type OutboundResult,
  type Reach,
} from '../../runtime/outbound/index.ts';
import type { FlowSecrets, StartedFlow } from '../../storage/sso/index.ts';
import type { Configuration, CustomFetch } from 'openid-client';

/** Of one request to a provider, in milliseconds. */
const timeoutMs = 10_000;
/** The longest answer that is read: what a provider says of itself, or its keys. */
const keepBytes = 262_144;
const scope = 'openid email profile';

interface RefusalOptions extends ErrorOptions {
  readonly hasAnswered?: boolean;
}

/** The provider did not answer as it should, or does not vouch for the user. The message is for whoever signs in. */
export class ProviderRefused extends Error {
  override readonly name = 'ProviderRefused';
  /** Whether the provider was asked about this sign-in, and has answered. Not so: anybody can have it happen, without the provider. */
  readonly hasAnswered: boolean;

  constructor(message: string, { hasAnswered = false, ...options }: RefusalOptions = {}) {
    super(message, options);
    this.hasAnswered = hasAnswered;
  }
}

export type SendRequest = (request: OutboundRequest, owner: string) => Promise<OutboundResult>;

export interface IdentityProvidersOptions {
  /** A queue of the node's pool. */
  readonly send: SendRequest;
  readonly reach: Reach;
  /** Where providers lead back to. */
  readonly redirectUri: string;
}

/** What the address says to which the provider has led back. */
export interface ProviderAnswer {
  readonly code: string;
  readonly state: string;
  /** RFC 9207. */
  readonly issuer: string | undefined;
}

type Provider = Pick<StartedFlow, 'workspaceId' | 'issuer' | 'clientId' | 'clientSecret'>;

export class IdentityProviders {
  readonly #send: SendRequest;
  readonly #reach: Reach;
  readonly redirectUri: string;

  constructor({ send, reach, redirectUri }: IdentityProvidersOptions) {
    this.#send = send;
    this.#reach = reach;
    this.redirectUri = redirectUri;
  }

  /** Why an issuer is refused before it is asked anything; undefined when it is accepted. */
  getRefusal(issuer: string): string | undefined {
    const url = URL.parse(issuer);
    if (url === null) return 'must be an address';
    if (url.search !== '' || url.hash !== '') return 'an issuer has neither query nor fragment';
    return getUrlRefusal(url, { reach: this.#reach, httpsOnly: this.#reach === 'public' });
  }

  /** Rejects with {@link ProviderRefused} where there is no such provider, or it has no code flow with PKCE. */
  async check(provider: Provider): Promise<void> {
    await this.#find(provider);
  }

  /** Where the browser goes. */
  async begin(provider: Provider, secrets: FlowSecrets, email: string): Promise<string> {
    const [{ buildAuthorizationUrl, calculatePKCECodeChallenge }, found] = await this.#find(provider);
    const url = buildAuthorizationUrl(found, {
      redirect_uri: this.redirectUri,
      scope,
      state: secrets.state,
      nonce: secrets.nonce,
      code_challenge: await calculatePKCECodeChallenge(secrets.verifier),
      code_challenge_method: 'S256',
      login_hint: email,
    });
    return url.href;
  }

  /** The address that the provider has verified, of the form that every other address has. Rejects with {@link ProviderRefused}. */
  async finish(provider: Provider, secrets: FlowSecrets, answer: ProviderAnswer): Promise<string> {
    if (!isSame(answer.state, secrets.state))
      throw new ProviderRefused('The answer belongs to another sign-in.');
    const [library, found] = await this.#find(provider);
    const url = new URL(this.redirectUri);
    url.searchParams.set('code', answer.code);
    url.searchParams.set('state', answer.state);
    if (answer.issuer !== undefined) url.searchParams.set('iss', answer.issuer);
    const hasAnswered = true;
    const tokens = await ask(
      () =>
        library.authorizationCodeGrant(found, url, {
          expectedState: secrets.state,
          expectedNonce: secrets.nonce,
          pkceCodeVerifier: secrets.verifier,
          idTokenExpected: true,
        }),
      { hasAnswered },
    );
    const claims = tokens.claims();
    if (claims === undefined) throw new ProviderRefused('The provider names nobody.', { hasAnswered });
    // Many providers say the address only where they are asked for it.
    const isSaid = typeof claims['email'] === 'string';
    const said = isSaid
      ? claims
      : await ask(() => library.fetchUserInfo(found, tokens.access_token, claims.sub), { hasAnswered });
    const { email, email_verified: isVerified } = said;
    if (typeof email !== 'string' || isVerified !== true)
      throw new ProviderRefused('The provider has not verified the e-mail address.', { hasAnswered });
    // Whoever runs a provider has it say what they like, and mails to others show it.
    if (email.length > maxEmailLength || !isEmailAddress(email))
      throw new ProviderRefused('The provider vouches for what is no e-mail address.', { hasAnswered });
    return email;
  }

  async #find({ workspaceId, issuer, clientId, clientSecret }: Provider) {
    const refusal = this.getRefusal(issuer);
    if (refusal !== undefined) throw new ProviderRefused(`The provider is not asked: ${refusal}.`);
    const library = await import('openid-client');
    const isPlain = new URL(issuer).protocol === 'http:';
    const found: Configuration = await ask(() =>
      library.discovery(new URL(issuer), clientId, clientSecret, undefined, {
        [library.customFetch]: this.#createFetch(workspaceId),
        timeout: timeoutMs / 1_000,
        // The type tells apart what is safe; there is no other way to say that plain http will do.
        execute: isPlain ? [library.allowInsecureRequests] : [],
      }),
    );
    const metadata = found.serverMetadata();
    if (metadata.authorization_endpoint === undefined || metadata.token_endpoint === undefined)
      throw new ProviderRefused('The provider has no code flow.');
    const page = URL.parse(metadata.authorization_endpoint);
    if (page === null || (page.protocol !== 'https:' && !(isPlain && page.protocol === 'http:')))
      throw new ProviderRefused('The provider signs in at no https address.');
    return [library, found] as const;
  }

  /** What the library asks for, by the pool. */
  #createFetch(workspaceId: string): CustomFetch {
    return async (url, { method, headers, body }) => {
      if (method !== 'GET' && method !== 'POST') throw new Error(`no provider is asked by ${method}`);
      const text = body instanceof URLSearchParams ? body.toString() : body;
      if (text !== undefined && text !== null && typeof text !== 'string')
        throw new Error('a request to a provider is a text');
      const result = await this.#send(
        {
          method,
          url,
          headers,
          ...(typeof text === 'string' && { body: text }),
          timeoutMs,
          keepBytes,
          httpsOnly: this.#reach === 'public',
        },
        workspaceId,
      );
      if (result.status === undefined)
        throw new ProviderRefused(`The provider cannot be reached: ${result.error ?? 'no answer'}.`);
      const hasBody = result.status !== 204 && result.status !== 304 && result.status >= 200;
      return new Response(hasBody ? (result.body ?? '') : null, {
        status: Math.max(200, result.status),
        headers: result.contentType === undefined ? {} : { 'content-type': result.contentType },
      });
    };
  }
}

/** What the library throws of a provider is a refusal; its texts may quote what came, and are kept as the cause alone. */
async function ask<T>(work: () => Promise<T>, { hasAnswered = false }: RefusalOptions = {}): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const message = 'The provider did not answer as OpenID Connect demands.';
    throw findRefusal(error) ?? new ProviderRefused(message, { cause: error, hasAnswered });
  }
}

function findRefusal(error: unknown): ProviderRefused | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof ProviderRefused) return at;
  return undefined;
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
