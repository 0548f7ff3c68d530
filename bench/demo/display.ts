/** Output: colours, aligned latencies and a progress bar on a terminal; plain lines elsewhere. */
const terminal = process.stdout.isTTY === true;
const paint = (code: number, text: string): string => (terminal ? `\x1b[${code}m${text}\x1b[0m` : text);
const width = 58;

/** Milliseconds since an instant of `performance.now()`. */
export const since = (from: number): number => performance.now() - from;

/** `12.3 ms`, or seconds from 1,000 on. */
function duration(ms: number): string {
  return ms < 1_000 ? `${ms.toFixed(1)} ms` : `${(ms / 1_000).toFixed(2)} s`;
}

export const display = {
  title(text: string): void {
    console.log(`\n${paint(1, text)}`);
  },

  /** A step that succeeded: its name, the time since its cause, and a detail. */
  hop(text: string, ms?: number, detail?: string): void {
    const latency = ms === undefined ? '' : duration(ms).padStart(9);
    console.log(
      `  ${paint(32, '✓')} ${text.padEnd(width)} ${paint(36, latency)}${detail === undefined ? '' : `  ${paint(90, detail)}`}`,
    );
  },

  /** Waits for the work and shows it as a step. */
  async step<T>(text: string, work: Promise<T>, detail: (result: T) => string = () => ''): Promise<T> {
    const from = performance.now();
    const result = await work;
    display.hop(text, since(from), detail(result));
    return result;
  },

  note(text: string): void {
    console.log(`    ${paint(90, text)}`);
  },

  fail(text: string): void {
    console.error(`  ${paint(31, '✗')} ${text}`);
  },

  /** A bar that redraws itself on a terminal; elsewhere a line for every quarter. */
  progress(label: string, total: number): (done: number) => void {
    let shown = -1;
    return done => {
      const share = Math.min(1, done / total);
      if (terminal) {
        const filled = Math.round(share * 30);
        process.stdout.write(
          `\r    ${label} ${'█'.repeat(filled)}${'░'.repeat(30 - filled)} ${done}/${total}\x1b[K`,
        );
        if (share === 1) process.stdout.write('\n');
        return;
      }
      const quarter = Math.floor(share * 4);
      if (quarter === shown) return;
      shown = quarter;
      console.log(`    ${label}: ${done} of ${total}`);
    };
  },

  /** Ends an unfinished bar's line. */
  breakLine(): void {
    if (terminal) process.stdout.write('\n');
  },
};
