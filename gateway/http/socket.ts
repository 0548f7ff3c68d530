/** A websocket as the rest of the gateway sees it. */
import type { HttpAnswer, HttpRequest } from './message.ts';

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
  /** Gathers the frames that `work` sends into one write to the kernel; `work` runs at once. */
  cork(work: () => void): void;
  /** Receives what `HttpServer.publish` sends to the topic from now on. */
  subscribe(topic: string): void;
  unsubscribe(topic: string): void;
  /** Sends a close frame (RFC 6455 section 7.4; 4000 to 4999 are ours) and closes; `close` is called before this returns. */
  end(code: number, reason: string): void;
  /** Bytes that wait in the socket's buffer. */
  buffered(): number;
}

/** The session of a socket: what `upgrade` found out. It has no `status`, which is what tells it from an answer. */
export type SocketSession = object & { readonly status?: never };

/** One websocket endpoint. The callbacks are shared by all of its sockets: what belongs to one is in its session. */
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
  /** Published frames did not fit the buffer and are lost: told once per burst, a turn of the event loop later. */
  dropped?(socket: Socket<Session>): void;
  /** Longest frame taken, in bytes; a longer one closes the socket. Default 16,384. */
  readonly maxPayload?: number;
  /** Bytes that may wait in one socket's buffer. Default 1,048,576. */
  readonly maxBackpressure?: number;
  /** Seconds without a frame from the client after which the socket is closed. Default 60; at least 8. */
  readonly idleTimeoutSeconds?: number;
}
