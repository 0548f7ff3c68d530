/** The websocket endpoint of the Console stream: admits clients, counts them, and hands their frames to their sessions. */
import { ServiceError } from '../../protocol/errors.ts';
import { randomBytes } from 'node:crypto';
import { type Clock, systemRandom } from '../../runtime/time/index.ts';
import type { Transport } from '../../runtime/transport/index.ts';
import type { Log } from '../../runtime/observability/index.ts';
import type { CheckedCredentials, RevokedCredentials } from '../../storage/tenancy/index.ts';
import {
  errorAnswer,
  type HttpAnswer,
  type HttpRequest,
  type Socket,
  type SocketEndpoint,
} from '../http/index.ts';
import { toRefusal } from '../pipeline/index.ts';
import type { Admission } from './admission.ts';
import { CatchUp } from './catch-up.ts';
import type { EphemeralEvent } from './ephemeral-events.ts';
import { closeCodes, maxClientFrame } from './frames.ts';
import { Hub, type EventLog } from './hub.ts';
import { StreamSession } from './session.ts';
import { SocketLimit } from './socket-limit.ts';
import type { StreamContext } from './subscriber.ts';
import { ConnectionReaper } from './connection-reaper.ts';
import { Viewers, type ViewersOptions } from './viewers.ts';

export interface ConsoleStreamOptions {
  /** Who is this: admit.ts. */
  readonly admit: (request: HttpRequest) => Promise<Admission>;
  readonly events: EventLog;
  /** `HttpServer.publish`. */
  readonly publish: (topic: string, frame: string) => void;
  /** See `HubOptions.follow` (hub.ts). */
  readonly follow?: (projectId: string) => () => void;
  /** storage/tenancy/credential-check.ts bound to a database. */
  readonly findRevokedCredentials: (asked: CheckedCredentials, now: number) => Promise<RevokedCredentials>;
  readonly findViewer: ViewersOptions['findViewer'];
  readonly hasEnvironment: StreamContext['hasEnvironment'];
  /** To the other nodes. */
  readonly transport: Pick<Transport, 'publish' | 'subscribe'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Where errors are explained: the base of `docsUrl`. */
  readonly docsUrl: string;
  /** Sockets that one user, or one API key, may have open in the cluster. Default 10. */
  readonly maxPerHolder?: number;
}

export class ConsoleStream implements SocketEndpoint<StreamSession> {
  readonly maxPayload = maxClientFrame;
  /**
   * The server's own limit, at which it drops frames silently: out of reach. Ours is a quarter of it (subscriber.ts), and between
   * two looks at a buffer no more can come than 64 KiB and a frame (hub.ts), or a page (storage/events/event-log.ts).
   */
  readonly maxBackpressure = 4_194_304;
  /** Past the third heartbeat: only for sockets that a close frame cannot reach any more. */
  readonly idleTimeoutSeconds = 80;
  readonly #options: ConsoleStreamOptions;
  /** What its sockets share, for other ways of following the same events. */
  readonly context: StreamContext;
  readonly #reaper: ConnectionReaper;
  readonly #limit: SocketLimit;
  readonly #maxPerHolder: number;
  #size = 0;
  #draining = false;

  constructor(options: ConsoleStreamOptions) {
    const { events, clock, log, publish, findRevokedCredentials, transport } = options;
    const { findViewer, hasEnvironment } = options;
    const node = randomBytes(6).toString('hex');
    const viewers = new Viewers({
      transport,
      node,
      clock,
      log,
      findViewer,
      show: event => this.ephemeral(event),
    });
    const follow = (projectId: string): (() => void) => {
      const ends = [viewers.follow(projectId), options.follow?.(projectId)];
      return () => ends.forEach(end => end?.());
    };
    const shown = (_projectId: string, eventName: string): void => this.#reaper.onEvent(eventName);
    const random = systemRandom;
    const hub = new Hub({
      events,
      publish,
      clock,
      random,
      log,
      shown,
      follow,
    });
    this.#options = options;
    const catchUp = new CatchUp(events, clock, random, log);
    this.context = { hub, catchUp, clock, viewers, hasEnvironment };
    this.#reaper = new ConnectionReaper({ hub, clock, log, findRevokedCredentials });
    this.#maxPerHolder = options.maxPerHolder ?? 10;
    this.#limit = new SocketLimit({ transport, node, clock, most: this.#maxPerHolder });
  }

  /** Open sockets. */
  get size(): number {
    return this.#size;
  }

  /** Shows an event that is not in the log (typing, output as it is written) to whoever is live now. */
  ephemeral(event: EphemeralEvent): void {
    this.context.hub.ephemeral(event);
  }

  /** Refuses with what `admit` throws, 429 over the holder's limit and 503 while draining. */
  async upgrade(request: HttpRequest): Promise<StreamSession | HttpAnswer> {
    try {
      if (this.#draining) throw new ServiceError('svc/runtime/unavailable', { retryAfterSeconds: 1 });
      const admission = await this.#options.admit(request);
      if (!this.#limit.hasRoom(admission)) {
        const message = `At most ${this.#maxPerHolder} streams at once.`;
        throw new ServiceError('svc/rate_limit/exceeded', { message, retryAfterSeconds: 5 });
      }
      return new StreamSession(admission, this.context);
    } catch (error) {
      const refusal = toRefusal(error);
      if (refusal === undefined) throw error;
      return errorAnswer(refusal, request.requestId, this.#options.docsUrl);
    }
  }

  open(socket: Socket<StreamSession>): void {
    const { session } = socket;
    this.#size++;
    session.open(socket);
    // Several upgrades may have passed the first check together: then the newest sockets are closed here.
    this.#limit.add(session, this.#options.clock.now());
    if (this.#draining) session.end(closeCodes.tryLater, 'not now');
  }

  message(socket: Socket<StreamSession>, text: string): void {
    socket.session.receive(text);
  }

  drain(socket: Socket<StreamSession>): void {
    socket.session.drained();
  }

  /** The guard behind the guards: a frame was lost, so nothing may follow it. */
  dropped(socket: Socket<StreamSession>): void {
    socket.session.end(closeCodes.tooSlow, 'reads too slowly: resume');
  }

  close(socket: Socket<StreamSession>): void {
    const { session } = socket;
    if (session.state === 'closing') return;
    this.#size--;
    this.#limit.remove(session);
    session.closed();
  }

  /** Sends every client to another node and admits none: idempotent. */
  shutDown(): void {
    this.#draining = true;
    for (const stream of this.context.hub.streams) {
      for (let i = stream.followers.length - 1; i >= 0; i--) {
        stream.followers[i]?.end(closeCodes.goingAway, 'going away: resume elsewhere');
      }
    }
    this.#reaper.close();
    this.#limit.close();
    this.context.hub.close();
  }
}
