/** An operator's Console: a websocket that resumes where it left off. */
import { EventEmitter, once } from 'node:events';
import WebSocket from 'ws';

export interface StreamEvent {
  readonly seq: number;
  readonly at: number;
  readonly event: {
    readonly eventId: string;
    readonly eventName: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
}

type Frame =
  | { readonly type: 'resumed'; readonly epoch: string; readonly seq: number }
  | { readonly type: 'reset'; readonly epoch: string; readonly seq: number; readonly reason: string }
  /** Without a number: an event that is not in the log, such as a piece of what a model writes. */
  | { readonly type: 'event'; readonly seq?: number; readonly event: StreamEvent['event'] }
  | { readonly type: 'ping' };

export class ConsoleStream {
  readonly events: StreamEvent[] = [];
  /** Events that are shown live and kept nowhere. */
  readonly ephemeral: StreamEvent['event'][] = [];
  /** Events that came twice or out of order: must stay 0. The numbers have gaps where the reader may not see an event. */
  disordered = 0;
  #socket: WebSocket | undefined;
  #epoch: string | undefined;
  #seq: number | undefined;
  readonly #url: string;
  readonly #token: string;
  readonly #taken = new EventEmitter().setMaxListeners(0);

  constructor(url: string, projectId: string, token: string) {
    this.#url = `${url.replace('http', 'ws')}/v1/console/projects/${projectId}/events/stream`;
    this.#token = token;
  }

  /** Opens the stream, after what was seen last when there was an earlier one; ready once the server says so. */
  async open(): Promise<void> {
    const socket = new WebSocket(this.#url, { headers: { authorization: `Bearer ${this.#token}` } });
    this.#socket = socket;
    await once(socket, 'open');
    const cursor = this.#epoch === undefined ? {} : { epoch: this.#epoch, seq: this.#seq };
    const resumed = new Promise<void>((resolve, reject) => {
      socket.on('message', text => {
        const frame = JSON.parse(String(text)) as Frame;
        if (frame.type === 'resumed') {
          this.#epoch = frame.epoch;
          this.#seq ??= frame.seq;
          resolve();
        } else if (frame.type === 'reset') reject(new Error(`the stream was reset: ${frame.reason}`));
        else if (frame.type === 'event') {
          if (frame.seq === undefined) this.ephemeral.push(frame.event);
          else this.#take(frame.seq, frame.event);
        } else socket.send('{"type":"pong"}');
      });
    });
    socket.on('error', () => undefined);
    socket.send(JSON.stringify({ type: 'resume', ...cursor }));
    await resumed;
  }

  /** Waits for the first event that passes the test. */
  async find(test: (event: StreamEvent) => boolean): Promise<StreamEvent> {
    for (;;) {
      const found = this.events.find(test);
      if (found !== undefined) return found;
      await once(this.#taken, 'event');
    }
  }

  close(): void {
    this.#socket?.terminate();
  }

  #take(seq: number, event: StreamEvent['event']): void {
    if (seq <= (this.#seq ?? 0)) this.disordered++;
    this.#seq = seq;
    this.events.push({ seq, event, at: performance.now() });
    this.#taken.emit('event');
  }
}
