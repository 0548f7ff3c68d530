/** Where the demonstration is shown: a picture that redraws itself on a terminal, and a line each second where stdout is none. */
import { formatFrame, ownedBy, type View } from './frame.ts';

export interface Screen {
  /** The latest of everything; called ten times a second. */
  draw(view: View): void;
  /** Something happened. */
  say(elapsedMs: number, text: string): void;
  /** No more frames: what is printed from now on stays below the last one. Idempotent. */
  end(): void;
}

const lineEveryMs = 1_000;

export function openScreen(): Screen {
  return process.stdout.isTTY === true ? new Terminal() : new Lines();
}

function formatNote(elapsedMs: number, text: string): string {
  return `  ${`${(elapsedMs / 1_000).toFixed(1)} s`.padStart(7)}  ${text}`;
}

class Terminal implements Screen {
  /** All that happened: a handful of lines. */
  readonly #notes: string[] = [];
  #frame: readonly string[] = [];
  #height = 0;
  #ended = false;

  constructor() {
    // No cursor, and lines that are too long are cut: what is drawn over has to have the height that is known.
    process.stdout.write('\x1b[?25l\x1b[?7l\n');
  }

  draw(view: View): void {
    if (this.#ended) return;
    this.#frame = formatFrame(view);
    const room = Math.max(1, process.stdout.rows - this.#frame.length - 2);
    this.#write(this.#notes.slice(-room));
  }

  say(elapsedMs: number, text: string): void {
    this.#notes.push(formatNote(elapsedMs, text));
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#write(this.#notes);
    process.stdout.write('\x1b[?25h\x1b[?7h\n');
  }

  #write(notes: readonly string[]): void {
    const lines = [...this.#frame, '', ...notes];
    const up = this.#height > 0 ? `\x1b[${this.#height}A` : '';
    process.stdout.write(`${up}${lines.map(line => `\r${line}\x1b[K\n`).join('')}`);
    this.#height = lines.length;
  }
}

class Lines implements Screen {
  #nextAt = 0;

  draw({ elapsedMs, status, nodes, traffic }: View): void {
    if (elapsedMs < this.#nextAt) return;
    this.#nextAt = elapsedMs + lineEveryMs;
    const owned = nodes.map(({ id }) => `${id} ${ownedBy(status, id)}`).join(', ');
    this.say(
      elapsedMs,
      `shards: ${owned}, nobody ${ownedBy(status, null)}; ${traffic.perSecond} requests/s, ` +
        `${traffic.failed} failed, slowest ${traffic.slowestMs.toFixed(0)} ms`,
    );
  }

  say(elapsedMs: number, text: string): void {
    console.log(formatNote(elapsedMs, text));
  }

  end(): void {
    // Nothing to put right.
  }
}
