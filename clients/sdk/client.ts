/** The client: its options, and its methods, made of the generated table. */
import { Call, type Answer, type EditOptions } from './call.ts';
import type { AttachmentExtras, MessageExtras } from './extras.ts';
import type { OperationId } from './generated/operations.ts';
import type { Resources } from './generated/resources.ts';
import type { Caller, StreamTicket } from './generated/types.ts';
import { Listing, type Page } from './listing.ts';
import { operations, prepareRequest, type Operation, type RequestInput } from './operation.ts';
import { follow, type EventStream, type StreamOptions, type WebSocketFactory } from './stream.ts';
import { Tenant } from './tenant.ts';
import { send, type Attempt, type FetchFunction, type Transport } from './transport.ts';
import { upload } from './uploads.ts';

export interface ClientOptions {
  /**
   * An API key; or what gives an access token, asked for each try; or null, for the few calls that need no credential. Default:
   * `SKEIN_API_KEY` of the environment.
   */
  readonly apiKey?: string | (() => string | Promise<string>) | null | undefined;
  /** The server's address, without /v1. Default: `SKEIN_BASE_URL`, else `http://127.0.0.1:8080`. */
  readonly baseUrl?: string | undefined;
  /** Of calls that name no project. A key has its own. Default: `SKEIN_PROJECT_ID`. */
  readonly projectId?: string | undefined;
  /** Of calls that name no environment. A key has its own. Default: `SKEIN_ENVIRONMENT_ID`. */
  readonly environmentId?: string | undefined;
  /** How long one try may take, headers and body, in milliseconds; Infinity: without end. Default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Tries after the first. Default 2. */
  readonly maxRetries?: number | undefined;
  /** How long a call may wait between its tries in all, in milliseconds. What would take longer is thrown at once. Default 60,000. */
  readonly maxWaitMs?: number | undefined;
  /** The user on whose behalf a key acts, who may answer in the project: what operators may do is then done in their name. */
  readonly actingUser?: string | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Default: the platform's. A function of your own is the mock of your tests. */
  readonly fetch?: FetchFunction | undefined;
  /** Default: the platform's, which has to take headers (Node 22, Bun, Deno), but in browsers. */
  readonly webSocket?: WebSocketFactory | undefined;
  /** Called after each try of each call, for logs and metrics. What it throws is ignored: it changes nothing of the call. */
  readonly onAttempt?: ((attempt: Attempt) => void) | undefined;
}

/** A ticket of the stream that takes longer is asked for over a connection that is dead. */
const ticketWithinMs = 10_000;

class SkeinClient {
  readonly #transport: Transport;
  readonly #tenant: Tenant;
  readonly #webSocket: WebSocketFactory | undefined;

  /** @throws {TypeError} an option is missing or cannot be */
  constructor(options: ClientOptions = {}) {
    this.#transport = createTransport(options);
    this.#webSocket = options.webSocket;
    this.#tenant = new Tenant(
      {
        projectId: options.projectId ?? readVariable('SKEIN_PROJECT_ID'),
        environmentId: options.environmentId ?? readVariable('SKEIN_ENVIRONMENT_ID'),
      },
      () => this.request<Caller>('getCaller'),
    );
    const resources = this as unknown as Record<string, Record<string, unknown>>;
    for (const operation of operations.values()) {
      const resource = (resources[operation.resource] ??= {});
      resource[operation.name] = (...args: unknown[]) => this.#call(operation, args);
    }
    const extras: { readonly messages: MessageExtras; readonly attachments: AttachmentExtras } = {
      messages: {
        check: (threadId, body, call) =>
          this.request('createMessage', { params: { threadId }, query: { dryRun: true }, body }, call),
      },
      attachments: {
        upload: (file, call) =>
          upload(
            this.#transport,
            (body, each) => this.request('createAttachment', { body }, each),
            file,
            call,
          ),
      },
    };
    Object.assign(resources['messages'] ?? {}, extras.messages);
    Object.assign(resources['attachments'] ?? {}, extras.attachments);
  }

  /**
   * Any operation by its id, as the contract has it. The client's project and environment are filled in. That of a list is a `Listing`.
   *
   *     const thread = await skein.request<Thread>('getThread', { params: { threadId } });
   */
  request<T = unknown>(operationId: OperationId, input: RequestInput = {}, options?: EditOptions): Call<T> {
    const operation = operations.get(operationId);
    if (operation === undefined) throw new TypeError(`Skein: there is no operation ${String(operationId)}`);
    return this.#request(operation, input, options) as Call<T>;
  }

  /**
   * The project's events as they happen: each once and in order, over lost connections and restarts of the server. After a restart of your
   * own process go on from the cursor that you kept; then the last event may come again. Ends when the signal is aborted.
   *
   * @throws {AuthError} the credential is no good any more, or may not follow
   */
  stream(options: StreamOptions = {}): EventStream {
    const { signal } = options;
    return follow(
      {
        transport: this.#transport,
        webSocket: this.#webSocket,
        getProjectId: () => this.#tenant.getProjectId(),
        createTicket: async projectId => {
          const asked = this.request<StreamTicket>(
            'createStreamTicket',
            { params: { projectId } },
            { signal, timeoutMs: ticketWithinMs },
          );
          return (await asked).ticket;
        },
        probe: async projectId => {
          const input = { params: { projectId }, query: { limit: 1 } };
          await this.request('listStreamEvents', input, { signal, maxRetries: 0 });
        },
      },
      options,
    );
  }

  /** @param args the path's parameters, then body or query, then options */
  #call(operation: Operation, args: readonly unknown[]): Call<unknown> {
    const { parameters, input } = operation;
    const rest = args.slice(parameters.length);
    const params = Object.fromEntries(parameters.map((name, index) => [name, args[index] as string]));
    const given = input === undefined ? {} : { [input]: rest.shift() };
    return this.#request(operation, { ...given, params }, rest[0] as EditOptions | undefined);
  }

  #request(operation: Operation, input: RequestInput, options: EditOptions | undefined): Call<unknown> {
    const ask = async <T>(asked: RequestInput): Promise<Answer<T>> => {
      const complete = await this.#tenant.complete(operation, asked);
      return send<T>(this.#transport, prepareRequest(operation, complete), options);
    };
    if (!operation.isList) return new Call(ask<unknown>(input));
    const list = (cursor?: string): Listing<unknown> => {
      const query = cursor === undefined ? input.query : { ...input.query, cursor };
      return new Listing(ask<Page<unknown>>({ ...input, query }), list);
    };
    return list();
  }
}

function createTransport(options: ClientOptions): Transport {
  const {
    apiKey = readVariable('SKEIN_API_KEY'),
    baseUrl = readVariable('SKEIN_BASE_URL') ?? 'http://127.0.0.1:8080',
    // Called without a receiver: some platforms refuse their fetch any other.
    fetch: ask = (url, init) => fetch(url, init),
    timeoutMs = 30_000,
    maxRetries = 2,
    maxWaitMs = 60_000,
    actingUser,
    headers = {},
    onAttempt,
  } = options;
  if (apiKey === undefined) throw new TypeError('Skein: there is no apiKey, and no SKEIN_API_KEY');
  if (typeof apiKey === 'string') checkKey(apiKey);
  if (!/^https?:\/\/[^/@]+(\/|$)/.test(baseUrl) || !URL.canParse(baseUrl))
    throw new TypeError('Skein: baseUrl is no address such as https://skein.example');
  return {
    baseUrl: `${baseUrl.replace(/(\/v1)?\/*$/, '')}/v1`,
    getToken: typeof apiKey === 'function' ? apiKey : () => apiKey,
    fetch: ask,
    timeoutMs,
    maxRetries,
    maxWaitMs,
    actingUser,
    headers,
    onAttempt,
  };
}

function checkKey(apiKey: string): void {
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    throw new TypeError('Skein: apiKey is empty, or has characters that no key has');
  if (apiKey.startsWith('svc_live_') && 'document' in globalThis) {
    throw new TypeError("Skein: a live key in a browser is everybody's: use an access token of the person");
  }
}

/** Of the environment, where there is one; an empty one is none. */
function readVariable(name: string): string | undefined {
  const { process } = globalThis as {
    readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> };
  };
  const value = process?.env?.[name]?.trim();
  return value === '' ? undefined : value;
}

/** The client of a Skein server. Every resource of the API is a property, every operation of it a method. */
export interface Skein extends SkeinClient, Resources {}
/** See {@link ClientOptions}. */
export const Skein = SkeinClient as unknown as new (options?: ClientOptions) => Skein;
