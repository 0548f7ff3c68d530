/**
 * Websocket endpoints on uWebSockets.js. An idle socket costs one small object of ours: all callbacks are the
 * endpoint's. Callbacks that throw close their socket with 1011; they never throw into the server.
 */
import type { HttpRequest as UwsRequest, HttpResponse as UwsResponse } from 'uWebSockets.js';
import type { us_socket_context_t, WebSocket, WebSocketBehavior } from 'uWebSockets.js';
import { Exchange } from './exchange.ts';
import type { HttpAnswer } from './message.ts';
import type { Route } from './route.ts';
import type { SendOutcome, Socket, SocketEndpoint, SocketSession } from './socket.ts';
import type { Traffic } from './traffic.ts';

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

/** The behaviour to register with uWebSockets.js for an endpoint. */
export function behaviourOf<Session extends SocketSession>(
  endpoint: SocketEndpoint<Session>,
  route: Route,
  traffic: Traffic,
  sockets: OpenSockets,
): WebSocketBehavior<Carrier<Session>> {
  type Ws = WebSocket<Carrier<Session>>;

  function guarded(socket: OpenSocket<Session>, callback: () => void): void {
    try {
      callback();
    } catch (error) {
      traffic.log.error({ path: route.pattern, err: error }, 'websocket callback failed');
      socket.end(1011, 'internal error');
    }
  }

  function tellDropped(socket: OpenSocket<Session>): void {
    socket.dropPending = false;
    if (socket.ws !== undefined) guarded(socket, () => endpoint.dropped?.(socket));
  }

  return {
    maxPayloadLength: endpoint.maxPayload ?? 16_384,
    maxBackpressure: endpoint.maxBackpressure ?? 1_048_576,
    idleTimeout: endpoint.idleTimeoutSeconds ?? 60,
    sendPingsAutomatically: true,

    upgrade: (res: UwsResponse, req: UwsRequest, context: us_socket_context_t) => {
      const exchange = new Exchange(traffic, route, res, req);
      try {
        // Read now: the request is gone once this callback returns.
        const key = req.getHeader('sec-websocket-key');
        const protocol = req.getHeader('sec-websocket-protocol');
        const extensions = req.getHeader('sec-websocket-extensions');
        if (!exchange.admit()) return;
        const settle = (verdict: Session | HttpAnswer): void => {
          if (isAnswer(verdict)) {
            exchange.answer(verdict);
            return;
          }
          // Not within `cork`, as its examples have it: this version then takes the new socket's memory for a response when it lies
          // where the request's lay, and may find there that the connection is to be closed (measured: 1 of 10 upgrades among
          // the first of a busy process ended with 1006).
          exchange
            .surrender()
            ?.upgrade({ socket: new OpenSocket(verdict) }, key, protocol, extensions, context);
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
    },

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
      else guarded(socket, () => endpoint.message(socket, Buffer.from(message).toString()));
    },

    drain: (ws: Ws) => {
      const { socket } = ws.getUserData();
      guarded(socket, () => endpoint.drain?.(socket));
    },

    dropped: (ws: Ws) => {
      // Told later: the server is in the middle of a publish, and the natural reaction is to close the socket.
      const { socket } = ws.getUserData();
      if (socket.dropPending) return;
      socket.dropPending = true;
      setImmediate(tellDropped, socket);
    },

    close: (ws: Ws, code: number, message: ArrayBuffer) => {
      const { socket } = ws.getUserData();
      socket.ws = undefined;
      sockets.delete(socket);
      guarded(socket, () => endpoint.close(socket, code, Buffer.from(message).toString()));
    },
  };
}

function isAnswer<Session extends SocketSession>(verdict: Session | HttpAnswer): verdict is HttpAnswer {
  return verdict.status !== undefined;
}
