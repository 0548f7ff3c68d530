/**
 * Connects a number at the provider, step by step, and takes a half connection back:
 *
 *   exchange_code      a code of the embedded sign-up for a token; first and once, because a code lives 30 seconds
 *   inspect_token      it is valid, of this app, and has both permissions
 *   find_account       the token reaches the business account
 *   find_number        the number belongs to the account
 *   subscribe_app      the app gets the account's events; taken back when a later step fails
 *   register_number    unless it is registered. Not taken back: it does no harm, and a number is registered ten times in 72 hours at most
 *   install_callback   the number's events come to the channel's own address, which the provider challenges at once
 *
 * What was there before the attempt is not taken back: a channel that has lost its token still gets its webhooks.
 */
import type { ConnectStep } from '../../protocol/resources/index.ts';
import {
  inspectToken,
  listSubscribedApps,
  managementScope,
  messagingScope,
  type PartnerAppKeys,
  type TokenFacts,
} from './credentials.ts';
import { type Graph, type GraphCredentials, GraphError, readText } from './graph.ts';
import { isRegistered, listNumbers } from './numbers.ts';

export interface ConnectRequest {
  readonly app: PartnerAppKeys;
  /** One of them. */
  readonly code?: string;
  readonly accessToken?: string;
  /** Of the dialog that gave the code, where it had one. */
  readonly redirectUri?: string;
  readonly wabaId?: string;
  readonly phoneNumberId?: string;
  /** The channel's address for webhooks, and what the provider has to say there. */
  readonly callbackUrl: string;
  readonly verifyToken: string;
  /** Six digits, for two-step verification of the number. */
  readonly pin: string;
  /** Of the number whose events come to the channel's address already, by an earlier connection; null: none. */
  readonly ownPhoneNumberId: string | null;
  /** Rejects where the number may not be connected; called before anything is changed at the provider. */
  readonly admit: (phoneNumberId: string) => Promise<void>;
  /** Called when the number has been registered with the PIN, or may have been. */
  readonly noteRegistered: () => void;
  /** Whether the attempt was ended by somebody else, who may have begun another: then the callback is not its own any more. */
  readonly isOver: () => Promise<boolean>;
  /** Whether another channel needs the app's subscription to the account. */
  readonly sharesAccount: (wabaId: string) => Promise<boolean>;
}

/** A number as it was connected. */
export interface ConnectedNumber {
  readonly accessToken: string;
  /** ISO 8601; null: never. */
  readonly tokenExpiresAt: string | null;
  readonly wabaId: string;
  readonly phoneNumberId: string;
  readonly displayPhoneNumber: string;
  readonly verifiedName: string;
}

/** A step failed. */
export class ConnectFailed extends Error {
  override readonly name = 'ConnectFailed';
  readonly step: ConnectStep;
  /** The provider's error code, where it was the provider that refused. */
  readonly code: number | undefined;

  constructor(step: ConnectStep, message: string, code?: number) {
    super(message);
    this.step = step;
    this.code = code;
  }
}

/** What takes a connection back; nothing that fails there matters. */
type Undo = () => Promise<unknown>;

/** A number that is connected at the provider, and not yet here. */
export interface NumberAtProvider {
  readonly number: ConnectedNumber;
  readonly undo: Undo;
  /** Subscribes the app once more where another channel that was leaving has ended its subscription meanwhile. Rejects with `GraphError`. */
  readonly confirm: () => Promise<void>;
}

/** Rejects with {@link ConnectFailed}, or as `admit` does; in both cases nothing is left of it at the provider but the registration. */
export async function connectNumber(
  graph: Graph,
  request: ConnectRequest,
  signal: AbortSignal,
): Promise<NumberAtProvider> {
  const connecting = new Connecting(graph, request, signal);
  try {
    const { as, ...number } = await connecting.run();
    return {
      number,
      undo: () => connecting.undo(),
      confirm: () => connecting.subscribe(as, number.wabaId),
    };
  } catch (error) {
    await connecting.undo();
    throw error;
  }
}

class Connecting {
  readonly #graph: Graph;
  readonly #request: ConnectRequest;
  readonly #signal: AbortSignal;
  /** In the order in which they were added; carried out from the last one. */
  readonly #undo: Undo[] = [];

  constructor(graph: Graph, request: ConnectRequest, signal: AbortSignal) {
    this.#graph = graph;
    this.#request = request;
    this.#signal = signal;
  }

  async run(): Promise<ConnectedNumber & { readonly as: GraphCredentials }> {
    const { app, accessToken: given } = this.#request;
    const accessToken = given ?? (await this.#step('exchange_code', () => this.#exchangeCode()));
    const as: GraphCredentials = { token: accessToken, appSecret: app.appSecret };
    const token = await this.#step('inspect_token', () => this.#inspectToken(accessToken));
    const wabaId = this.#findAccount(token.accounts);
    const number = await this.#step('find_number', () => this.#findNumber(as, wabaId));
    const phoneNumberId = readText(number, 'id');
    await this.#request.admit(phoneNumberId);
    const isOwn = phoneNumberId === this.#request.ownPhoneNumberId;
    await this.#step('subscribe_app', () => this.subscribe(as, wabaId));
    // The connection that is still there needs it.
    if (isOwn) this.#undo.length = 0;
    await this.#step('register_number', () => this.#register(as, number));
    await this.#step('install_callback', () => this.#installCallback(as, phoneNumberId, isOwn));
    return {
      as,
      accessToken,
      tokenExpiresAt: token.expiresAt,
      wabaId,
      phoneNumberId,
      displayPhoneNumber: readText(number, 'display_phone_number'),
      verifiedName: readText(number, 'verified_name'),
    };
  }

  async undo(): Promise<void> {
    for (const undo of this.#undo.splice(0).reverse()) await undo().catch(() => undefined);
  }

  async #step<Result>(step: ConnectStep, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof GraphError) throw new ConnectFailed(step, error.message, error.code);
      throw error;
    }
  }

  async #exchangeCode(): Promise<string> {
    const { app, code = '', redirectUri } = this.#request;
    const answer = await this.#graph.call(
      {
        path: 'oauth/access_token',
        query: {
          client_id: app.appId,
          client_secret: app.appSecret,
          code,
          ...(redirectUri === undefined ? {} : { redirect_uri: redirectUri }),
        },
      },
      this.#signal,
    );
    const token = readText(answer, 'access_token');
    if (token === '') throw new ConnectFailed('exchange_code', 'The provider gave no token for the code.');
    return token;
  }

  async #inspectToken(token: string): Promise<TokenFacts> {
    const { app } = this.#request;
    const refuse = (message: string, code?: number): never => {
      throw new ConnectFailed('inspect_token', message, code);
    };
    const facts = await inspectToken(this.#graph, app, token, this.#signal).catch((error: unknown) => {
      // It is the app that asks: what is wrong with the token is part of the answer.
      if (!(error instanceof GraphError) || error.code !== 190) throw error;
      return refuse(`The provider refuses the app: check its id and secret. ${error.message}`, error.code);
    });
    if (facts.appId !== app.appId) refuse('The token was issued for another app.');
    if (facts.isValid !== true) refuse('The token is not valid.');
    const missing = [messagingScope, managementScope].filter(scope => !facts.scopes.includes(scope));
    if (missing.length > 0) refuse(`The token lacks the permission ${missing.join(' and ')}.`);
    return facts;
  }

  #findAccount(named: readonly string[] | undefined): string {
    const { wabaId } = this.#request;
    const refuse = (message: string): never => {
      throw new ConnectFailed('find_account', message);
    };
    if (wabaId === undefined) {
      const [only, ...others] = named ?? [];
      if (only === undefined || others.length > 0) {
        return refuse('Name the business account (wabaId): the token does not reach exactly one.');
      }
      return only;
    }
    if (named?.includes(wabaId) === false) return refuse('The token does not reach this business account.');
    return wabaId;
  }

  /** The number, as the account's list has it: so it belongs to the account. */
  async #findNumber(as: GraphCredentials, wabaId: string): Promise<unknown> {
    const { phoneNumberId } = this.#request;
    const fields = 'display_phone_number,verified_name,status,platform_type';
    const found = await listNumbers(this.#graph, as, wabaId, fields, this.#signal);
    const number =
      phoneNumberId === undefined
        ? found.length === 1 && found[0]
        : found.find(each => readText(each, 'id') === phoneNumberId);
    if (number === undefined || number === false) {
      const message =
        phoneNumberId === undefined
          ? `Name the number (phoneNumberId): the business account has ${found.length}.`
          : 'The business account has no such number.';
      throw new ConnectFailed('find_number', message);
    }
    return number;
  }

  async subscribe(as: GraphCredentials, wabaId: string): Promise<void> {
    const subscribed = await listSubscribedApps(this.#graph, as, wabaId, this.#signal);
    // Another channel of the account needs it, and it stays as it is: to subscribe again would remove an override.
    if (subscribed.includes(this.#request.app.appId)) return;
    const path = `${encodeURIComponent(wabaId)}/subscribed_apps`;
    const undo = async (): Promise<void> => {
      // Another channel may have been connected meanwhile.
      if (await this.#request.sharesAccount(wabaId)) return;
      await this.#graph.call({ method: 'DELETE', path, as }, getUndoSignal());
    };
    await this.#change(undo, () => this.#graph.call({ method: 'POST', path, as }, this.#signal));
  }

  /** Notes before the call how to undo it, since an answer may be lost; what was refused has changed nothing. */
  async #change(undo: Undo, call: () => Promise<unknown>): Promise<void> {
    this.#undo.push(undo);
    try {
      await call();
    } catch (error) {
      if (error instanceof GraphError && !error.mayBeDone) this.#undo.pop();
      throw error;
    }
  }

  async #register(as: GraphCredentials, number: unknown): Promise<void> {
    if (isRegistered(number)) return;
    const path = `${encodeURIComponent(readText(number, 'id'))}/register`;
    const { pin, noteRegistered } = this.#request;
    const body = { messaging_product: 'whatsapp', pin };
    try {
      await this.#graph.call({ method: 'POST', path, as, body }, this.#signal);
    } catch (error) {
      if (error instanceof GraphError && error.mayBeDone) noteRegistered();
      throw error;
    }
    noteRegistered();
  }

  async #installCallback(as: GraphCredentials, phoneNumberId: string, isOwn: boolean): Promise<void> {
    const { callbackUrl, verifyToken } = this.#request;
    const install = (): Promise<unknown> =>
      setCallback(this.#graph, as, phoneNumberId, { callbackUrl, verifyToken }, this.#signal);
    if (isOwn) {
      await install();
      return;
    }
    const undo = async (): Promise<void> => {
      if (await this.#request.isOver()) return;
      await removeCallback(this.#graph, as, phoneNumberId, getUndoSignal());
    };
    await this.#change(undo, install);
  }
}

/** To take something back, in milliseconds: the connection itself may have used its time up. */
const undoMs = 5_000;

function getUndoSignal(): AbortSignal {
  return AbortSignal.timeout(undoMs);
}

function setCallback(
  graph: Graph,
  as: GraphCredentials,
  phoneNumberId: string,
  { callbackUrl, verifyToken }: { readonly callbackUrl: string; readonly verifyToken: string },
  signal: AbortSignal,
): Promise<unknown> {
  const webhook_configuration = { override_callback_uri: callbackUrl, verify_token: verifyToken };
  const path = encodeURIComponent(phoneNumberId);
  return graph.call({ method: 'POST', path, as, body: { webhook_configuration } }, signal);
}

function removeCallback(
  graph: Graph,
  as: GraphCredentials,
  phoneNumberId: string,
  signal: AbortSignal,
): Promise<unknown> {
  return setCallback(graph, as, phoneNumberId, { callbackUrl: '', verifyToken: '' }, signal);
}

export interface DisconnectRequest {
  readonly as: GraphCredentials;
  readonly wabaId: string;
  readonly phoneNumberId: string;
  /** No other channel of the same app has a number of the account. */
  readonly isLastOfAccount: boolean;
}

/**
 * Lets a number's events go elsewhere, and unsubscribes the app where no other channel needs it. Gives what failed: a token that the
 * provider does not accept any more must not keep a channel connected.
 */
export async function disconnectNumber(
  graph: Graph,
  { as, wabaId, phoneNumberId, isLastOfAccount }: DisconnectRequest,
  signal: AbortSignal,
): Promise<GraphError | undefined> {
  try {
    await removeCallback(graph, as, phoneNumberId, signal);
    if (isLastOfAccount) {
      const path = `${encodeURIComponent(wabaId)}/subscribed_apps`;
      await graph.call({ method: 'DELETE', path, as }, signal);
    }
    return undefined;
  } catch (error) {
    if (error instanceof GraphError) return error;
    throw error;
  }
}
