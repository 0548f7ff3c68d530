/**
 * The stream of a project's events, over as many connections as it takes.
 *
 * connecting -> open -> closed -> waiting -> connecting ... until it is aborted, or the server says that trying again is no use: then the
 * error that it gives over REST is thrown. A connection goes on behind the last item that was taken.
 */
import { ConnectionError } from './errors.ts';
import { isTemporary } from './retry.ts';
import {
  StreamConnection,
  type Closing,
  type Cursor,
  type SocketLike,
  type StreamItem,
  type Watching,
} from './stream-connection.ts';
import type { Transport } from './transport.ts';
import { sleep, untilAborted } from './waiting.ts';

/** Opens a websocket. The headers have the credential; in browsers, which cannot send any, there are none, and the address has a ticket. */
export type WebSocketFactory = (
  url: string,
  headers: Readonly<Record<string, string>> | undefined,
) => SocketLike;

export interface StreamOptions {
  /** Default: the client's, else the key's. */
  readonly projectId?: string | undefined;
  /** Shows this environment's events alone. Default: all that the credential may see. */
  readonly environmentId?: string | undefined;
  /** Where to go on. Default: from now. */
  readonly from?: Cursor | undefined;
  /** Ends the loop. */
  readonly signal?: AbortSignal | undefined;
  /** Without any frame for so long a connection is dead, in milliseconds; the server sends one every 25 s. Default 80,000. */
  readonly silenceMs?: number | undefined;
  /** Called when a connection was lost or could not be made, with the wait before the next one. */
  readonly onDisconnect?: ((disconnect: Disconnect) => void) | undefined;
}

export interface Disconnect {
  /** The websocket's close code; 1006 where there was none. */
  readonly code: number;
  readonly reason: string;
  /** The connection has died without a word, as when a machine has slept: others to the same server may have, too. */
  readonly wasSilent: boolean;
  readonly retryInMs: number;
}

/** What the stream needs of its client. */
export interface StreamSource {
  readonly transport: Transport;
  readonly webSocket: WebSocketFactory | undefined;
  readonly getProjectId: () => Promise<string>;
  /** A ticket for a browser's websocket. */
  readonly createTicket: (projectId: string) => Promise<string>;
  /** Reads an event over REST, to learn why the stream is refused. */
  readonly probe: (projectId: string) => Promise<void>;
}

const defaultSilenceMs = 80_000;
const firstWaitMs = 250;
/** Whoever restarts a node waits no longer than this for its followers. */
const longestWaitMs = 5_000;

/** The node goes away: the next connection leads to another, or to its successor. */
const goingAway = 1001;
/** 1003, 1007: a frame that the server does not know. Trying again does not help. */
const protocolErrors: ReadonlySet<number> = new Set([1003, 1007]);
/** 4001: no longer authenticated. 4003: no longer a member. REST says whether a new token helps. */
const refusals: ReadonlySet<number> = new Set([4001, 4003]);

/** A stream, and what the one who follows it tells the others. */
export interface EventStream extends AsyncGenerator<StreamItem, void, undefined> {
  /**
   * Tells the project's other operators which thread the user looks at: `thread.viewer.changed`. At any time, also while there is no
   * connection; each new one is told again. API keys are no people: theirs are ignored.
   *
   * @param threadId null: none any more
   */
  view(threadId: string | null): void;
  /**
   * Asks for a sign of life: where none comes in time, the connection is dead, and the next one is made at once. For when the machine has slept
   * or changed its network, which a socket may not notice by itself. Without effect while there is no connection.
   *
   * @param withinMs milliseconds. Default 5,000
   */
  check(withinMs?: number): void;
}

/** Every event once and in order, from where the options say. */
export function follow(source: StreamSource, options: StreamOptions): EventStream {
  const watching: Watching = { environmentId: options.environmentId };
  let connection: StreamConnection | undefined;
  const open = (socket: SocketLike, cursor: Cursor | undefined): StreamConnection =>
    (connection = new StreamConnection(socket, cursor, watching, options.silenceMs ?? defaultSilenceMs));
  return Object.assign(followEvents(source, options, open), {
    view: (threadId: string | null) => {
      watching.threadId = threadId;
      connection?.tellView();
    },
    check: (withinMs = 5_000) => connection?.check(withinMs),
  });
}

async function* followEvents(
  source: StreamSource,
  options: StreamOptions,
  open: (socket: SocketLike, cursor: Cursor | undefined) => StreamConnection,
): AsyncGenerator<StreamItem, void, undefined> {
  const { signal } = options;
  let cursor = options.from;
  for (let failures = 0; signal?.aborted !== true; failures++) {
    let closing: Closing;
    const socket = await connect(source, options);
    if ('wasOpen' in socket) {
      closing = socket;
    } else {
      const connection = open(socket, cursor);
      try {
        for (;;) {
          const next = await connection.next(signal);
          if (next === undefined) return;
          if (next.type === 'closed') {
            closing = next;
            break;
          }
          failures = 0;
          if (next.type !== 'ephemeral') cursor = next.cursor;
          yield next;
        }
      } finally {
        connection.close();
      }
    }
    await throwIfRefused(source, options, closing);
    await backOff(closing, failures, options);
  }
}

/** A socket that is being opened, or why there is none. Throws what does not pass by itself. */
async function connect(
  { transport, webSocket = openGlobalSocket, getProjectId, createTicket }: StreamSource,
  { projectId, signal }: StreamOptions,
): Promise<SocketLike | Closing> {
  try {
    const project = projectId ?? (await untilAborted(getProjectId(), signal));
    const address = `${transport.baseUrl.replace(/^http/, 'ws')}/console/projects/${encodeURIComponent(project)}/events/stream`;
    if ('document' in globalThis) {
      const ticket = await createTicket(project);
      return webSocket(`${address}?ticket=${encodeURIComponent(ticket)}`, undefined);
    }
    const token = await untilAborted(Promise.resolve(transport.getToken()), signal);
    return webSocket(address, { ...transport.headers, authorization: `Bearer ${token}` });
  } catch (error) {
    if (isFinal(error, signal)) throw error;
    return { type: 'closed', code: 1006, reason: (error as Error).message, wasOpen: true };
  }
}

/** The platform's own. That of Node, Bun and Deno takes headers, that of browsers a ticket. */
function openGlobalSocket(url: string, headers: Readonly<Record<string, string>> | undefined): SocketLike {
  const { WebSocket } = globalThis as unknown as {
    readonly WebSocket?: new (url: string, options: { readonly headers: object } | undefined) => SocketLike;
  };
  if (WebSocket === undefined)
    throw new TypeError('Skein: there is no WebSocket here: pass the option webSocket');
  return new WebSocket(url, headers && { headers });
}

/**
 * Asks over REST what a websocket does not tell: Node and browsers hide the answer to a refused upgrade.
 *
 * @throws {ApiError} what the stream is refused with
 */
async function throwIfRefused(
  source: StreamSource,
  { projectId, signal }: StreamOptions,
  closing: Closing,
): Promise<void> {
  const { code, reason, wasOpen } = closing;
  if (protocolErrors.has(code)) throw new ConnectionError(`the stream was closed: ${code} ${reason}`);
  if (wasOpen && !refusals.has(code)) return;
  try {
    await source.probe(projectId ?? (await source.getProjectId()));
  } catch (error) {
    if (isFinal(error, signal)) throw error;
  }
}

/** Whether the stream ends with the error: it does not pass by itself, and is not the end that the signal asks for. */
function isFinal(error: unknown, signal: AbortSignal | undefined): boolean {
  return signal?.aborted !== true && !isTemporary(error);
}

/** Full jitter: a node that goes away cuts off everybody at once. */
async function backOff(
  { code, reason, wasSilent = false }: Closing,
  failures: number,
  { signal, onDisconnect }: StreamOptions,
): Promise<void> {
  if (signal?.aborted) return;
  const retryInMs =
    code === goingAway && failures === 0
      ? 0
      : Math.random() * Math.min(longestWaitMs, firstWaitMs * 2 ** failures);
  onDisconnect?.({ code, reason, wasSilent, retryInMs });
  await sleep(retryInMs, signal).catch(() => undefined);
}
