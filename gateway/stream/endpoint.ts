/** The websocket endpoint of the Console stream: admits clients, counts them, and hands their frames to their sessions. */
import { ServiceError } from '../../protocol/errors.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import type { CommittedEvent } from '../../storage/news.ts';
import type { Fallen, Standing } from '../../storage/tenancy/standing.ts';
import { errorAnswer } from '../http/error-answer.ts';
import type { HttpAnswer, HttpRequest } from '../http/message.ts';
import type { Socket, SocketEndpoint } from '../http/socket.ts';
import { refusalOf } from '../refusal.ts';
import type { Admission } from './admission.ts';
import { CatchUp } from './catch-up.ts';
import { closeCodes, maxClientFrame } from './frames.ts';
import { Hub, type EventLog } from './hub.ts';
import { Session } from './session.ts';
import type { StreamContext } from './subscriber.ts';
import { Sweep } from './sweep.ts';

export interface ConsoleStreamOptions {
  /** Who is this: admit.ts. */
  readonly admit: (request: HttpRequest) => Promise<Admission>;
  readonly events: EventLog;
  /** `HttpServer.publish`. */
  readonly publish: (topic: string, frame: string) => void;
  /** `News.follow`; default: no other node has news. */
  readonly follow?: (projectId: string) => () => void;
  /** storage/tenancy/standing.ts bound to a database. */
  readonly fallen: (asked: Standing, now: number) => Promise<Fallen>;
  readonly clock: Clock;
  readonly log: Log;
  /** Where errors are explained: the base of `docsUrl`. */
  readonly docsUrl: string;
  /** Sockets that one user, or one API key, may have open on this node. Default 10. */
  readonly maxPerHolder?: number;
}

export class ConsoleStream implements SocketEndpoint<Session> {
  readonly maxPayload = maxClientFrame;
  /**
   * The server's own limit, at which it drops frames silently: out of reach. Ours is a quarter of it (subscriber.ts), and between
   * two looks at a buffer no more can come than 64 KiB and a frame (hub.ts), or a page (storage/reads/events.ts).
   */
  readonly maxBackpressure = 4_194_304;
  /** Past the third heartbeat: only for sockets that a close frame cannot reach any more. */
  readonly idleTimeoutSeconds = 80;
  readonly #options: ConsoleStreamOptions;
  /** What its sockets share, for other ways of following the same events. */
  readonly context: StreamContext;
  readonly #sweep: Sweep;
  readonly #perHolder = new Map<string, number>();
  readonly #maxPerHolder: number;
  #size = 0;
  #draining = false;

  constructor(options: ConsoleStreamOptions) {
    const { events, clock, log, publish, fallen, follow } = options;
    const shown = (_projectId: string, eventName: string): void => this.#sweep.noticed(eventName);
    const hub = new Hub({ events, publish, clock, log, shown, ...(follow === undefined ? {} : { follow }) });
    this.#options = options;
    this.context = { hub, catchUp: new CatchUp(events, clock, log), clock };
    this.#sweep = new Sweep({ hub, clock, log, fallen });
    this.#maxPerHolder = options.maxPerHolder ?? 10;
  }

  /** Open sockets. */
  get size(): number {
    return this.#size;
  }

  /** News of committed events, from this node or another. */
  accept(events: readonly CommittedEvent[]): void {
    for (const event of events) this.context.hub.accept(event);
  }

  /** News that these projects have events whose numbers are not known. */
  behind(projectIds: readonly string[]): void {
    this.context.hub.behind(projectIds);
  }

  /** Shows an event that is not in the log (typing, output as it is written) to whoever is live now. */
  ephemeral(projectId: string, environmentId: string, body: string): void {
    this.context.hub.ephemeral(projectId, environmentId, body);
  }

  /** Refuses with what `admit` throws, 429 over the holder's limit and 503 while draining. */
  async upgrade(request: HttpRequest): Promise<Session | HttpAnswer> {
    try {
      if (this.#draining) throw new ServiceError('svc/runtime/unavailable', { retryAfterSeconds: 1 });
      const admission = await this.#options.admit(request);
      if (this.#count(admission) >= this.#maxPerHolder) {
        const message = `At most ${this.#maxPerHolder} streams at once.`;
        throw new ServiceError('svc/rate_limit/exceeded', { message, retryAfterSeconds: 5 });
      }
      return new Session(admission, this.context);
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === undefined) throw error;
      return errorAnswer(refusal, request.requestId, this.#options.docsUrl);
    }
  }

  open(socket: Socket<Session>): void {
    const { session } = socket;
    const holder = holderOf(session.admission);
    const count = this.#count(session.admission) + 1;
    this.#perHolder.set(holder, count);
    this.#size++;
    session.open(socket);
    // Several upgrades may have passed the first check together.
    if (count > this.#maxPerHolder || this.#draining) session.end(closeCodes.tryLater, 'not now');
  }

  message(socket: Socket<Session>, text: string): void {
    socket.session.receive(text);
  }

  drain(socket: Socket<Session>): void {
    socket.session.drained();
  }

  /** The guard behind the guards: a frame was lost, so nothing may follow it. */
  dropped(socket: Socket<Session>): void {
    socket.session.end(closeCodes.tooSlow, 'reads too slowly: resume');
  }

  close(socket: Socket<Session>): void {
    const { session } = socket;
    if (session.state === 'closing') return;
    this.#size--;
    const holder = holderOf(session.admission);
    const left = this.#count(session.admission) - 1;
    if (left > 0) this.#perHolder.set(holder, left);
    else this.#perHolder.delete(holder);
    session.closed();
  }

  /** Sends every client to another node and admits none: idempotent. */
  shutDown(): void {
    this.#draining = true;
    for (const feed of this.context.hub.feeds) {
      for (let i = feed.followers.length - 1; i >= 0; i--) {
        feed.followers[i]?.end(closeCodes.goingAway, 'going away: resume elsewhere');
      }
    }
    this.#sweep.close();
    this.context.hub.close();
  }

  #count(admission: Admission): number {
    return this.#perHolder.get(holderOf(admission)) ?? 0;
  }
}

function holderOf({ userId, apiKeyId }: Admission): string {
  return userId ?? apiKeyId ?? '';
}
