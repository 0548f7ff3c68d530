/**
 * One Console socket: a subscriber (subscriber.ts has its states) that sends frames (frames.ts).
 *
 * Nothing is sent until the client's first frame, `resume`, which must come within 10 s. From then on both sides send heartbeats.
 */
import type { Socket } from '../http/index.ts';
import { getTopic } from './admission.ts';
import type { PagedFrame } from './catch-up.ts';
import {
  barePing,
  type ClientFrame,
  closeCodes,
  ephemeralFrame,
  parseClientFrame,
  pingFrame,
  pong,
  resetFrame,
  resumedFrame,
  type ResetReason,
} from './frames.ts';
import type { EphemeralEvent } from './ephemeral-events.ts';
import { maxBufferedBytes, Subscriber } from './subscriber.ts';
import type { Viewing } from './viewers.ts';

const resumeDeadlineMs = 10_000;
export const heartbeatMs = 25_000;
/** Frames from the client between two heartbeats. */
const maxFrames = 100;
/** Beside them, `view` frames: somebody may walk down a list with a key held down. */
const maxViews = 500;

type ResumeFrame = Extract<ClientFrame, { readonly type: 'resume' }>;

export class StreamSession extends Subscriber {
  #socket: Socket<StreamSession> | undefined;
  /** Monotonic milliseconds: the deadline of the first frame, then the next heartbeat. */
  #dueAt = 0;
  #unanswered = 0;
  #frames = 0;
  #views = 0;
  /** The client has said where to begin. */
  #hasBegun = false;
  #viewing: Viewing | undefined;
  /** The number that the client was told last, until it is live. */
  #told = 0;

  /** Starts the time that the client has to send `resume`. */
  open(socket: Socket<StreamSession>): void {
    this.#socket = socket;
    this.#dueAt = this.context.clock.monotonic() + resumeDeadlineMs;
    this.join();
  }

  /** A text frame from the client. */
  receive(text: string): void {
    if (this.state === 'closing') return;
    this.#unanswered = 0;
    const frame = parseClientFrame(text);
    const isView = frame?.type === 'view';
    if (isView ? ++this.#views > maxViews : ++this.#frames > maxFrames) {
      return this.end(closeCodes.policy, 'too many frames');
    }
    switch (frame?.type) {
      case 'pong':
        return;
      case 'ping':
        return this.#send(pong);
      case 'resume':
        return this.#begin(frame);
      case 'view':
        return this.#view(frame.threadId);
      case undefined:
        return this.end(
          closeCodes.invalidFrame,
          'expected {"type":"resume"}, {"type":"view"}, {"type":"ping"} or {"type":"pong"}',
        );
    }
  }

  /**
   * Checks the credential, the deadline of the first frame and the heartbeat.
   *
   * @param now epoch milliseconds
   * @param monotonic milliseconds of `Clock.monotonic`
   */
  tick(now: number, monotonic: number): void {
    if (this.admission.expiresAt <= now)
      return this.end(closeCodes.notAuthenticated, 'the credential has expired');
    if (monotonic < this.#dueAt) return;
    if (!this.#hasBegun) return this.end(closeCodes.policy, 'no resume frame in time');
    if (this.#unanswered >= 2) return this.end(closeCodes.unresponsive, 'two heartbeats unanswered');
    this.#dueAt = monotonic + heartbeatMs;
    this.#unanswered++;
    this.#frames = 0;
    this.#views = 0;
    this.checkBuffer();
    this.#send(this.state === 'live' && this.stream.loaded ? pingFrame(this.stream.head) : barePing);
  }

  /** Closes the socket; `closed` follows. Idempotent. */
  end(code: number, reason: string): void {
    if (this.state !== 'closing') this.#socket?.end(code, reason);
  }

  /** The socket is closed, by whichever side. */
  closed(): void {
    this.#viewing?.end();
    this.leave();
    this.#socket = undefined;
  }

  /** Ends a live session that reads too slowly, because its unsent bytes would grow without bound. */
  checkBuffer(): void {
    if (this.state === 'live' && this.buffered() > maxBufferedBytes) {
      this.end(closeCodes.tooSlow, 'reads too slowly: resume');
    }
  }

  protected buffered(): number {
    return this.#socket?.buffered() ?? 0;
  }

  protected tellResumed(epoch: string, seq: number): void {
    this.#told = seq;
    this.#send(resumedFrame(epoch, seq, this.stream.head));
  }

  protected tellReset(epoch: string, seq: number, reason: ResetReason): void {
    this.#told = seq;
    this.#send(resetFrame(epoch, seq, reason));
    // The client forgets what it knew.
    if (this.state === 'live') this.#tellViewers();
  }

  protected sendPage(page: readonly PagedFrame[]): void {
    this.#told = page.at(-1)?.seq ?? this.#told;
    this.#socket?.cork(() => {
      for (const { text } of page) this.#send(text);
    });
  }

  protected goLive(): void {
    this.#socket?.subscribe(getTopic(this.admission));
    // The last of what was missed are events that the client may not see: it would wait for them.
    if (this.#told < this.stream.head) this.#send(pingFrame(this.stream.head));
    this.#tellViewers();
  }

  #begin({ epoch, seq, environmentId }: ResumeFrame): void {
    if (this.#hasBegun) return this.end(closeCodes.invalidFrame, 'resume is sent once, as the first frame');
    this.#hasBegun = true;
    // Spreads the heartbeats of clients that came back together over some seconds.
    this.#dueAt = this.context.clock.monotonic() + heartbeatMs - (this.index % 10) * 1_000;
    const { environmentId: only } = this.admission;
    if (environmentId === undefined || environmentId === only) return this.resumeFrom(epoch, seq);
    if (only !== undefined) return this.#refuseEnvironment();
    void this.#beginIn(environmentId, epoch, seq);
  }

  async #beginIn(environmentId: string, epoch: string | undefined, seq: number | undefined): Promise<void> {
    let isThere: boolean;
    try {
      isThere = await this.context.hasEnvironment(this.admission.projectId, environmentId);
    } catch {
      return this.end(closeCodes.tryLater, 'the environment could not be looked up');
    }
    if (this.state === 'closing') return;
    if (!isThere) return this.#refuseEnvironment();
    this.limitTo(environmentId);
    this.resumeFrom(epoch, seq);
  }

  #refuseEnvironment(): void {
    this.end(closeCodes.invalidFrame, 'no such environment in the project');
  }

  #view(threadId: string | null): void {
    if (!this.#hasBegun) return this.end(closeCodes.invalidFrame, 'resume comes first');
    this.#viewing ??= this.context.viewers.open(
      () => this.admission,
      event => this.#tell(event),
    );
    this.#viewing?.lookAt(threadId);
  }

  /** Who looks at the threads of the project. */
  #tellViewers(): void {
    if (!this.admission.view.names.has('thread.viewer.changed')) return;
    const { projectId, environmentId: only } = this.admission;
    for (const event of this.context.viewers.list(projectId)) {
      if (only === undefined || only === event.environmentId) this.#tell(event);
    }
  }

  #tell({ body }: EphemeralEvent): void {
    this.#send(ephemeralFrame(body));
  }

  #send(text: string): void {
    if (this.state === 'closing') return;
    if (this.#socket?.send(text) === 'dropped') this.end(closeCodes.tooSlow, 'reads too slowly: resume');
  }
}
