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
  closeCodes,
  parseClientFrame,
  pingFrame,
  pong,
  resetFrame,
  resumedFrame,
  type ResetReason,
} from './frames.ts';
import { maxBufferedBytes, Subscriber } from './subscriber.ts';

const resumeDeadlineMs = 10_000;
export const heartbeatMs = 25_000;
/** Frames from the client between two heartbeats. */
const maxFrames = 100;

export class StreamSession extends Subscriber {
  #socket: Socket<StreamSession> | undefined;
  /** Monotonic milliseconds: the deadline of the first frame, then the next heartbeat. */
  #dueAt = 0;
  #unanswered = 0;
  #frames = 0;

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
    if (++this.#frames > maxFrames) return this.end(closeCodes.policy, 'too many frames');
    const frame = parseClientFrame(text);
    switch (frame?.type) {
      case 'pong':
        return;
      case 'ping':
        return this.#send(pong);
      case 'resume':
        if (this.state !== 'awaiting')
          return this.end(closeCodes.invalidFrame, 'resume is sent once, as the first frame');
        // Spreads the heartbeats of clients that came back together over some seconds.
        this.#dueAt = this.context.clock.monotonic() + heartbeatMs - (this.index % 10) * 1_000;
        return this.resumeFrom(frame.epoch, frame.seq);
      case undefined:
        return this.end(
          closeCodes.invalidFrame,
          'expected {"type":"resume"}, {"type":"ping"} or {"type":"pong"}',
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
    if (this.state === 'awaiting') return this.end(closeCodes.policy, 'no resume frame in time');
    if (this.#unanswered >= 2) return this.end(closeCodes.unresponsive, 'two heartbeats unanswered');
    this.#dueAt = monotonic + heartbeatMs;
    this.#unanswered++;
    this.#frames = 0;
    this.checkBuffer();
    this.#send(this.state === 'live' ? pingFrame(this.stream.head) : barePing);
  }

  /** Closes the socket; `closed` follows. Idempotent. */
  end(code: number, reason: string): void {
    if (this.state !== 'closing') this.#socket?.end(code, reason);
  }

  /** The socket is closed, by whichever side. */
  closed(): void {
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
    this.#socket?.subscribe(getTopic(this.admission));
  }

  #send(text: string): void {
    if (this.state === 'closing') return;
    if (this.#socket?.send(text) === 'dropped') this.end(closeCodes.tooSlow, 'reads too slowly: resume');
  }
}
