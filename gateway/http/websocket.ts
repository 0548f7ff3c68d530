/**
 * Websockets: what the rest of the gateway sees of them, and their endpoints on uWebSockets.js. An idle socket costs one small
 * object of ours, since all callbacks belong to the endpoint. Callbacks that throw close their socket with 1011; they never throw into
 * the server.
 */
import type {
  HttpRequest as UwsRequest,
  us_socket_context_t,
  WebSocket,
  WebSocketBehavior,
} from 'uWebSockets.js';
import { HttpExchange } from './exchange.ts';
import type { HttpAnswer, HttpRequest } from './message.ts';
import type { Route } from './route.ts';
import type { Traffic } from './traffic.ts';

/**
 * What became of a frame. `sent`: with the kernel. `queued`: in the socket's own buffer, `drain` will be called.
 * `dropped`: the buffer is full or the socket is closed, and the frame is lost.
 */
export type SendOutcome = 'sent' | 'queued' | 'dropped';

/** An open websocket. Every method is safe after the close: it then does nothing. */
export interface Socket<Session> {
  readonly session: Session;
  /** Sends one text frame. */
  send(text: string): SendOutcome;
  /** Combines the frames that `work` sends into one write to the kernel; `work` runs at once. */
  cork(work: () => void): void;
  /** Receives what `HttpServer.publish` sends to the topic from now on. */
  subscribe(topic: string): void;
  unsubscribe(topic: string): void;
  /** Sends a close frame (RFC 6455 section 7.4; 4000 to 4999 are ours) and closes; `close` is called before this returns. */
  end(code: number, reason: string): void;
  /** Bytes that wait in the socket's buffer. */
  buffered(): number;
}

/** The session of a socket, which `upgrade` returns. It has no `status`: that distinguishes it from an answer. */
export type SocketSession = object & { readonly status?: never };

/** One websocket endpoint. Its callbacks serve all of its sockets; the state of one is in its session. */
export interface SocketEndpoint<Session extends SocketSession> {
  /** Admits a client by returning its session, or refuses it by returning an answer. */
  upgrade(request: HttpRequest): Session | HttpAnswer | Promise<Session | HttpAnswer>;
  open(socket: Socket<Session>): void;
  /** A text frame; binary frames close the socket with 1003. */
  message(socket: Socket<Session>, text: string): void;
  /** The socket's buffer has shrunk. */
  drain?(socket: Socket<Session>): void;
  /** The socket is closed, however it happened; 1006 when no close frame came. */
  close(socket: Socket<Session>, code: number, reason: string): void;
  /** Published frames did not fit the buffer and are lost. Called once per burst, a turn of the event loop later. */
  dropped?(socket: Socket<Session>): void;
  /** Longest message taken, in bytes; a longer one closes the socket with 1009. Default 16,384. */
  readonly maxPayload?: number;
  /** Bytes that may wait in one socket's buffer. Default 1,048,576. */
  readonly maxBackpressure?: number;
  /** Seconds without a frame from the client after which the socket is closed. Default 60; at least 8. */
  readonly idleTimeoutSeconds?: number;
}

const outcomes: readonly SendOutcome[] = ['queued', 'sent', 'dropped'];

class OpenSocket<Session> implements Socket<Session> {
  readonly session: Session;
  /** Undefined before the upgrade and after the close: uWebSockets.js throws on a closed socket. */
  ws: WebSocket<Carrier<Session>> | undefined;
  dropPending = false;

  constructor(session: Session) {
    this.session = session;
  }

  send(text: string): SendOutcome {
    return (this.ws === undefined ? undefined : outcomes[this.ws.send(text)]) ?? 'dropped';
  }

  cork(work: () => void): void {
    if (this.ws === undefined) work();
    else this.ws.cork(work);
  }

  subscribe(topic: string): void {
    this.ws?.subscribe(topic);
  }

  unsubscribe(topic: string): void {
    this.ws?.unsubscribe(topic);
  }

  end(code: number, reason: string): void {
    this.ws?.end(code, reason);
  }

  buffered(): number {
    return this.ws?.getBufferedAmount() ?? 0;
  }
}

/** The user data of a socket. uWebSockets.js copies its own properties, not its prototype, to the object it hands out. */
interface Carrier<Session> {
  readonly socket: OpenSocket<Session>;
}

/** The open sockets of all endpoints, for the drain. */
export type OpenSockets = Set<Pick<Socket<unknown>, 'end'>>;

/**
 * Beyond this uWebSockets.js drops the connection without a close frame (1006). Below it, what is too long for the endpoint is closed with
 * a reason. Bytes.
 */
const maxServerPayload = 65_536;

/** The behaviour to register with uWebSockets.js for an endpoint. */
export function createBehaviour<Session extends SocketSession>(
  endpoint: SocketEndpoint<Session>,
  route: Route,
  traffic: Traffic,
  sockets: OpenSockets,
): WebSocketBehavior<Carrier<Session>> {
  type Ws = WebSocket<Carrier<Session>>;
  const guarded = createGuard(route, traffic);
  const { maxPayload = 16_384 } = endpoint;

  function reportDropped(socket: OpenSocket<Session>): void {
    socket.dropPending = false;
    if (socket.ws !== undefined) guarded(socket, () => endpoint.dropped?.(socket));
  }

  return {
    maxPayloadLength: Math.max(maxServerPayload, 2 * maxPayload),
    maxBackpressure: endpoint.maxBackpressure ?? 1_048_576,
    idleTimeout: endpoint.idleTimeoutSeconds ?? 60,
    sendPingsAutomatically: true,

    upgrade: (res, req, context) =>
      upgrade(endpoint, new HttpExchange(traffic, route, res, req), req, context),

    open: (ws: Ws) => {
      const { socket } = ws.getUserData();
      socket.ws = ws;
      sockets.add(socket);
      if (traffic.draining) socket.end(1001, 'going away');
      else guarded(socket, () => endpoint.open(socket));
    },

    message: (ws: Ws, message: ArrayBuffer, isBinary: boolean) => {
      const { socket } = ws.getUserData();
      if (isBinary) socket.end(1003, 'text frames only');
      else if (message.byteLength > maxPayload) socket.end(1009, `longer than ${maxPayload} bytes`);
      else guarded(socket, () => endpoint.message(socket, Buffer.from(message).toString()));
    },

    drain: (ws: Ws) => {
      const { socket } = ws.getUserData();
      guarded(socket, () => endpoint.drain?.(socket));
    },

    dropped: (ws: Ws) => {
      // Later: the server is in the middle of a publish, and the natural reaction is to close the socket.
      const { socket } = ws.getUserData();
      if (socket.dropPending) return;
      socket.dropPending = true;
      setImmediate(reportDropped, socket);
    },

    close: (ws: Ws, code: number, message: ArrayBuffer) => {
      const { socket } = ws.getUserData();
      socket.ws = undefined;
      sockets.delete(socket);
      guarded(socket, () => endpoint.close(socket, code, Buffer.from(message).toString()));
    },
  };
}

/** Runs the callbacks of an endpoint: one that throws closes its socket. */
function createGuard(route: Route, traffic: Traffic) {
  return (socket: Pick<Socket<unknown>, 'end'>, callback: () => void): void => {
    try {
      callback();
    } catch (error) {
      traffic.log.error({ path: route.pattern, err: error }, 'websocket callback failed');
      socket.end(1011, 'internal error');
    }
  };
}

/** No endpoint knows a subprotocol, and one that nobody has agreed to is not confirmed (RFC 6455 section 4.2.2). */
const noProtocol = '';

/** Admits a client, or answers it. To be called within the route's callback: the request is gone once that returns. */
function upgrade<Session extends SocketSession>(
  endpoint: SocketEndpoint<Session>,
  exchange: HttpExchange,
  req: UwsRequest,
  context: us_socket_context_t,
): void {
  try {
    const key = req.getHeader('sec-websocket-key');
    const extensions = req.getHeader('sec-websocket-extensions');
    if (!exchange.admit()) return;
    const settle = (verdict: Session | HttpAnswer): void => {
      if (isAnswer(verdict)) {
        exchange.answer(verdict);
        return;
      }
      // Not within `cork`, as its examples have it: this version then takes the new socket's memory for a response when it lies
      // where the request's was, and may find there that the connection is to be closed (measured: 1 of 10 upgrades among
      // the first of a busy process ended with 1006).
      exchange
        .takeResponse()
        ?.upgrade({ socket: new OpenSocket(verdict) }, key, noProtocol, extensions, context);
    };
    const verdict = endpoint.upgrade(exchange);
    if (verdict instanceof Promise) {
      verdict.then(settle).catch((error: unknown) => exchange.fail(error));
    } else {
      settle(verdict);
    }
  } catch (error) {
    exchange.fail(error);
  }
}

function isAnswer<Session extends SocketSession>(verdict: Session | HttpAnswer): verdict is HttpAnswer {
  return verdict.status !== undefined;
}
