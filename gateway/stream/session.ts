/**
 * One Console socket: a subscriber (subscriber.ts, which has its states) that speaks in frames.
 *
 * Nothing is sent until the client's first frame, `resume`, which has to come within 10 s; after that there is a heartbeat
 * both ways. Why a socket is closed is in closeCodes (frames.ts).
 */
import type { Socket } from '../http/socket.ts';
import type { PagedFrame } from './catch-up.ts';
import {
  barePing,
  closeCodes,
  parseClientFrame,
  pingFrame,
  pong,
  resetFrame,
  resumedFrame,
  type ResetReason,
} from './frames.ts';
import { maxBuffered, Subscriber } from './subscriber.ts';

const resumeDeadlineMs = 10_000;
export const heartbeatMs = 25_000;
/** Frames from the client between two heartbeats. */
const maxFrames = 100;

export class Session extends Subscriber {
  #socket: Socket<Session> | undefined;
  /** Monotonic milliseconds: the deadline of the first frame, then the next heartbeat. */
  #dueAt = 0;
  #unanswered = 0;
  #frames = 0;

  /** From here on the client has its time to send `resume`. */
  open(socket: Socket<Session>): void {
    this.#socket = socket;
    this.#dueAt = this.context.clock.monotonic() + resumeDeadlineMs;
    this.join();
  }

  /** A text frame from the client. */
  receive(text: string): void {
    if (this.state === 'closing') return;
    this.#unanswered = 0;
    if (++this.#frames > maxFrames) return this.end(closeCodes.policy, 'too many frames');
    const frame = parseClientFrame(text);
    switch (frame?.type) {
      case 'pong':
        return;
      case 'ping':
        return this.#send(pong);
      case 'resume':
        if (this.state !== 'awaiting') return this.end(closeCodes.rubbish, 'resume comes once, first');
        // Clients that came back together are spread over some seconds.
        this.#dueAt = this.context.clock.monotonic() + heartbeatMs - (this.index % 10) * 1_000;
        return this.resumeFrom(frame.epoch, frame.seq);
      case undefined:
        return this.end(closeCodes.rubbish, 'expected {"type":"resume"}, {"type":"ping"} or {"type":"pong"}');
    }
  }

  /**
   * Looks at the credential, the deadline of the first frame and the heartbeat.
   *
   * @param now epoch milliseconds
   * @param monotonic milliseconds of `Clock.monotonic`
   */
  tick(now: number, monotonic: number): void {
    if (this.admission.expiresAt <= now)
      return this.end(closeCodes.notAuthenticated, 'the credential has expired');
    if (monotonic < this.#dueAt) return;
    if (this.state === 'awaiting') return this.end(closeCodes.policy, 'no resume frame in time');
    if (this.#unanswered >= 2) return this.end(closeCodes.silent, 'two heartbeats unanswered');
    this.#dueAt = monotonic + heartbeatMs;
    this.#unanswered++;
    this.#frames = 0;
    this.checkBuffer();
    this.#send(this.state === 'live' ? pingFrame(this.feed.head) : barePing);
  }

  /** Closes the socket; `closed` follows. Nothing the second time. */
  end(code: number, reason: string): void {
    if (this.state !== 'closing') this.#socket?.end(code, reason);
  }

  /** The socket is closed, whoever closed it. */
  closed(): void {
    this.leave();
    this.#socket = undefined;
  }

  /** Ends a live session that reads too slowly: what waits for it would grow without bound. */
  checkBuffer(): void {
    if (this.state === 'live' && this.buffered() > maxBuffered) {
      this.end(closeCodes.tooSlow, 'reads too slowly: resume');
    }
  }

  protected buffered(): number {
    return this.#socket?.buffered() ?? 0;
  }

  protected tellResumed(epoch: string, seq: number): void {
    this.#send(resumedFrame(epoch, seq));
  }

  protected tellReset(epoch: string, seq: number, reason: ResetReason): void {
    this.#send(resetFrame(epoch, seq, reason));
  }

  protected sendPage(page: readonly PagedFrame[]): void {
    this.#socket?.cork(() => {
      for (const { text } of page) this.#send(text);
    });
  }

  protected goLive(): void {
    this.#socket?.subscribe(this.admission.environmentId ?? this.admission.projectId);
  }

  #send(text: string): void {
    if (this.state === 'closing') return;
    if (this.#socket?.send(text) === 'dropped') this.end(closeCodes.tooSlow, 'reads too slowly: resume');
  }
}
