/**
 * What is printed. Data go to stdout, words to stderr. Data are a table without borders on a terminal, columns between tabs in a pipe, and
 * JSON when it is asked for: one object, or one object a line.
 */
import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** A column of a table. */
export interface Column<T> {
  readonly title: string;
  readonly value: (item: T) => unknown;
  /** Gets shorter where the terminal is narrow. Ids do not: half an id is none. */
  readonly isFlexible?: boolean;
}

/** Below this a column says nothing. */
const leastWidth = 8;
const gap = 2;

export class Output {
  readonly isJson: boolean;

  constructor(isJson: boolean) {
    this.isJson = isJson;
  }

  get isTerminal(): boolean {
    return process.stdout.isTTY;
  }

  /** A line of data. */
  line(text: string): void {
    process.stdout.write(`${text}\n`);
  }

  /** Data without an end of line, as they come. */
  write(text: string): void {
    process.stdout.write(text);
  }

  /** Words for people: nothing that a script reads. */
  say(text: string): void {
    process.stderr.write(`${text}\n`);
  }

  /** Colours where stdout is a terminal that has them. */
  style(style: Style, text: string): string {
    return styleText(style, text, { stream: process.stdout });
  }

  /** One object. On a terminal it is indented, if it is to be read. */
  json(value: unknown, isIndented = false): void {
    this.line(toSafeJson(JSON.stringify(value, undefined, isIndented && this.isTerminal ? 2 : undefined)));
  }

  /** Items of a list. */
  async list<T>(items: AsyncIterable<T> | Iterable<T>, columns: readonly Column<T>[]): Promise<void> {
    if (this.isJson) {
      for await (const item of items) this.json(item);
      return;
    }
    const rows: string[][] = [];
    for await (const item of items) {
      const row = columns.map(({ value }) => toCell(value(item)));
      if (this.isTerminal) rows.push(row);
      else this.line(row.join('\t'));
    }
    if (rows.length > 0) await this.#table(rows, columns);
    else if (this.isTerminal) this.say('Nothing found.');
  }

  /** One thing: JSON, or a line for each of its fields. What is missing is left out. */
  fields(item: object, fields: Readonly<Record<string, unknown>> = { ...item }): void {
    if (this.isJson) return this.json(item);
    const shown = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
    const width = Math.max(...shown.map(([name]) => name.length));
    for (const [name, value] of shown) {
      const text = toCell(value);
      this.line(this.isTerminal ? `${this.style('dim', name.padEnd(width))}  ${text}` : `${name}\t${text}`);
    }
  }

  async #table(rows: readonly string[][], columns: readonly Column<never>[]): Promise<void> {
    const { default: Table } = await import('cli-table3');
    const widths = columns.map(({ title }, index) =>
      Math.max(title.length, ...rows.map(row => measure(row[index] ?? ''))),
    );
    const table = new Table({
      chars: noBorders,
      style: { head: [], border: [], 'padding-left': 0, 'padding-right': gap },
      colWidths: fitWidths(widths, columns, process.stdout.columns).map(width => width + gap),
    });
    table.push(
      columns.map(({ title }) => this.style('dim', title)),
      ...rows,
    );
    for (const line of table.toString().split('\n')) this.line(line.trimEnd());
  }
}

const sides = ['top', 'bottom', 'left', 'right', 'mid'];
const noBorders = Object.fromEntries(
  [
    'middle',
    ...sides.flatMap(side => [side, ...['mid', 'left', 'right', 'mid-mid'].map(end => `${side}-${end}`)]),
  ].map(name => [name, '']),
);

/** Takes from the flexible columns what the terminal has not. */
export function fitWidths(
  widths: readonly number[],
  columns: readonly { readonly isFlexible?: boolean }[],
  terminalWidth: number,
): number[] {
  const fitted = [...widths];
  let excess = fitted.reduce((sum, width) => sum + width + gap, -gap) - terminalWidth;
  while (excess > 0) {
    const widest = columns.reduce<number | undefined>(
      (best, { isFlexible }, index) =>
        isFlexible === true &&
        (fitted[index] ?? 0) > leastWidth &&
        (best === undefined || (fitted[index] ?? 0) > (fitted[best] ?? 0))
          ? index
          : best,
      undefined,
    );
    if (widest === undefined) break;
    fitted[widest] = (fitted[widest] ?? 0) - 1;
    excess -= 1;
  }
  return fitted;
}

/** Cells that a terminal gives to a text, at most: a letter beyond Latin may take two. */
function measure(text: string): number {
  let width = 0;
  for (const char of text) width += (char.codePointAt(0) ?? 0) < 0x1100 ? 1 : 2;
  return width;
}

/** A value in a table. */
function toCell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.map(toCell).join(', ');
  return toPrintable(typeof value === 'object' ? JSON.stringify(value) : String(value as string | number));
}

/**
 * Control characters, overrides of the direction, and what nobody sees. The joiners stay: scripts and pictures are written with them.
 */
const unprintable = /[\p{Cc}\u2028\u2029]|(?![\u200c\u200d])\p{Cf}/gu;

/** Text of others on a terminal, in one line. It would obey control characters, and show in another order what overrides the direction. */
export function toPrintable(text: string): string {
  return text.replace(unprintable, char => (/[\s\u0085]/.test(char) ? ' ' : '\ufffd'));
}

/** JSON leaves characters as they are that a terminal obeys, or that hide or turn around what is read. In JSON each can be written by its number. */
export function toSafeJson(json: string): string {
  return json.replace(/[\u007f-\u009f\u2028\u2029\p{Cf}]/gu, text =>
    Array.from({ length: text.length }, (_, index) => {
      const unit = text.charCodeAt(index).toString(16);
      return `\\u${unit.padStart(4, '0')}`;
    }).join(''),
  );
}
