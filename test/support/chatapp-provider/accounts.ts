/**
 * Who there is at the provider: partner apps, business accounts with their numbers, and the tokens by which an app acts for an account.
 * What is kept here is changed by the routes (connect.ts, messages.ts) and by tests.
 */
import { randomBytes } from 'node:crypto';
import { noSuchObject, ProviderError } from './errors.ts';

/** Where an app wants the events of something. */
export interface Callback {
  readonly url: string;
  readonly verifyToken: string;
}

/** A partner app. */
export interface App {
  readonly id: string;
  secret: string;
  /** The app's own callback, for what is not overridden. */
  callback: Callback | undefined;
  /** Where a sign-up may lead back to; undefined: anywhere. */
  redirectUris: readonly string[] | undefined;
}

/** A business account. */
export interface Account {
  readonly id: string;
  readonly numbers: PhoneNumber[];
  /** The apps that get the account's events, each with the callback that overrides its own, if there is one. */
  readonly subscribers: Map<string, Callback | undefined>;
}

export interface PhoneNumber {
  readonly id: string;
  readonly accountId: string;
  readonly displayPhoneNumber: string;
  readonly verifiedName: string;
  status: 'PENDING' | 'CONNECTED' | 'FLAGGED' | 'BANNED';
  /** Of two-step verification; undefined: it is off, and the first registration sets it. */
  pin: string | undefined;
  /** When it was registered, in epoch milliseconds. */
  readonly registrations: number[];
  /** By app: the callback of this number alone. */
  readonly overrides: Map<string, Callback>;
  /** What the number shows in the place of what is usual: `quality_rating`, `health_status` and the like. */
  readonly shown: Record<string, unknown>;
}

export interface Token {
  readonly value: string;
  readonly appId: string;
  readonly scopes: readonly string[];
  /** The accounts that it reaches. */
  readonly accountIds: readonly string[];
  /** Whether `debug_token` names them: it need not. */
  readonly namesTargets: boolean;
  /** Of a system user it can be renewed. */
  readonly type: 'SYSTEM_USER' | 'USER';
  /** Epoch seconds; 0: never. */
  expiresAt: number;
  /** The subcode with which it is refused from now on. */
  revoked: number | undefined;
}

/** A code of the embedded sign-up: for one exchange, within 30 seconds. */
interface Code {
  readonly token: Token;
  readonly redirectUri: string | undefined;
  readonly expiresAt: number;
}

export const messagingScope = 'whatsapp_business_messaging';
export const managementScope = 'whatsapp_business_management';

const codeLifeMs = 30_000;

export class Accounts {
  readonly #apps = new Map<string, App>();
  readonly #accounts = new Map<string, Account>();
  readonly #numbers = new Map<string, PhoneNumber>();
  readonly #tokens = new Map<string, Token>();
  readonly #codes = new Map<string, Code>();
  readonly #now: () => number;
  #ids = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  addApp(secret = randomBytes(16).toString('hex')): App {
    const app: App = { id: this.#newId(), secret, callback: undefined, redirectUris: undefined };
    this.#apps.set(app.id, app);
    return app;
  }

  addAccount(): Account {
    const account: Account = { id: this.#newId(), numbers: [], subscribers: new Map() };
    this.#accounts.set(account.id, account);
    return account;
  }

  addNumber(account: Account, more: Partial<Pick<PhoneNumber, 'status' | 'pin'>> = {}): PhoneNumber {
    const id = this.#newId();
    const number: PhoneNumber = {
      id,
      accountId: account.id,
      displayPhoneNumber: `+1 555 ${id.slice(-7, -4)} ${id.slice(-4)}`,
      verifiedName: `Business ${id}`,
      status: more.status ?? 'PENDING',
      pin: more.pin,
      registrations: [],
      overrides: new Map(),
      shown: {},
    };
    account.numbers.push(number);
    this.#numbers.set(id, number);
    return number;
  }

  addToken(
    app: App,
    account: Account,
    more: Partial<Pick<Token, 'scopes' | 'expiresAt' | 'namesTargets' | 'type'>> = {},
  ): Token {
    const token: Token = {
      value: `EAA${randomBytes(24).toString('base64url')}`,
      appId: app.id,
      scopes: more.scopes ?? [messagingScope, managementScope],
      accountIds: [account.id],
      namesTargets: more.namesTargets ?? true,
      type: more.type ?? 'SYSTEM_USER',
      expiresAt: more.expiresAt ?? 0,
      revoked: undefined,
    };
    this.#tokens.set(token.value, token);
    return token;
  }

  /** What the sign-up in the browser ends with. */
  addCode(token: Token, redirectUri?: string): string {
    const code = `AQ${randomBytes(24).toString('base64url')}`;
    this.#codes.set(code, { token, redirectUri, expiresAt: this.#now() + codeLifeMs });
    return code;
  }

  findApp(id: string): App | undefined {
    return this.#apps.get(id);
  }

  findAccount(id: string): Account | undefined {
    return this.#accounts.get(id);
  }

  listAccounts(): readonly Account[] {
    return [...this.#accounts.values()];
  }

  findNumber(id: string): PhoneNumber | undefined {
    return this.#numbers.get(id);
  }

  findToken(value: string): Token | undefined {
    return this.#tokens.get(value);
  }

  listTokens(): readonly Token[] {
    return [...this.#tokens.values()];
  }

  /** The app with this id and secret. */
  requireApp(id: string, secret: string): App {
    const app = this.#apps.get(id);
    if (app === undefined) throw new ProviderError(100, { details: 'Invalid client_id' });
    if (app.secret !== secret) throw new ProviderError(1, { details: 'Error validating client secret.' });
    return app;
  }

  /** Uses the code up. */
  takeCode(app: App, code: string, redirectUri: string | undefined): Token {
    const found = this.#codes.get(code);
    this.#codes.delete(code);
    if (found === undefined) throw new ProviderError(100, { subcode: 36_009 });
    if (found.token.appId !== app.id || found.expiresAt <= this.#now()) {
      throw new ProviderError(100, { subcode: 36_007 });
    }
    if (found.redirectUri !== redirectUri) throw new ProviderError(100, { subcode: 36_008 });
    return found.token;
  }

  /** The subcode with which the token is refused now; undefined: it is valid. */
  findTokenFault({ revoked, expiresAt }: Token): number | undefined {
    if (revoked !== undefined) return revoked;
    return expiresAt > 0 && expiresAt * 1_000 <= this.#now() ? 463 : undefined;
  }

  /** The token of a request, if it is valid and has the scope. */
  requireToken(value: string | undefined, scope: string): Token {
    const token = value === undefined ? undefined : this.#tokens.get(value);
    if (token === undefined) throw new ProviderError(190, { subcode: 467 });
    const fault = this.findTokenFault(token);
    if (fault !== undefined) throw new ProviderError(190, { subcode: fault });
    if (!token.scopes.includes(scope)) throw new ProviderError(200);
    return token;
  }

  /** The account, if the token reaches it. */
  requireAccount(token: Token, id: string): Account {
    const account = this.#accounts.get(id);
    if (account === undefined || !token.accountIds.includes(id)) throw noSuchObject(id);
    return account;
  }

  requireNumber(token: Token, id: string): PhoneNumber {
    const number = this.#numbers.get(id);
    if (number === undefined || !token.accountIds.includes(number.accountId)) throw noSuchObject(id);
    return number;
  }

  /** Where an app gets the events of a number: the number's override, else the account's, else its own. Undefined: nowhere. */
  findCallback(app: App, number: PhoneNumber): Callback | undefined {
    const account = this.#accounts.get(number.accountId);
    if (account?.subscribers.has(app.id) !== true) return undefined;
    return number.overrides.get(app.id) ?? account.subscribers.get(app.id) ?? app.callback;
  }

  /** The apps that get the events of an account. */
  listSubscribers(account: Account): App[] {
    return [...account.subscribers.keys()].flatMap(id => this.#apps.get(id) ?? []);
  }

  #newId(): string {
    return `10${String(++this.#ids).padStart(13, '0')}`;
  }
}
