/** Records which lines of the product a test file executes, so that a mutation is tried with these test files only. */
import { readFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Executed lines by file, as a bitmap in base64; the first line is bit 0. */
export type Coverage = Readonly<Record<string, string>>;

const product = /^(?:gateway|actors|runtime|storage|protocol|clients)\//;

/** Starts to count in this process. The returned function gives what was executed since its last call. */
export async function startCoverage(): Promise<() => Promise<Coverage>> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const found: Record<string, string> = {};
    for (const { url, functions } of result) {
      const file = url.startsWith('file:') ? relative(process.cwd(), fileURLToPath(url)) : '';
      if (product.test(file)) found[file] = toBitmap(file, functions);
    }
    return found;
  };
}

/** Positions of the first character of each line that is not a space. Type stripping keeps positions. */
const lineStarts = new Map<string, readonly number[]>();

function readLineStarts(file: string): readonly number[] {
  const known = lineStarts.get(file);
  if (known !== undefined) return known;
  let at = 0;
  const starts = readFileSync(file, 'utf8')
    .split('\n')
    .map(line => {
      const start = at + Math.max(line.search(/\S/), 0);
      at += line.length + 1;
      return start;
    });
  lineStarts.set(file, starts);
  return starts;
}

function toBitmap(file: string, functions: readonly Profiler.FunctionCoverage[]): string {
  // An inner range overrides the outer one.
  const ranges = functions
    .flatMap(({ ranges }) => ranges)
    .sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  const starts = readLineStarts(file);
  const bits = Buffer.alloc(Math.ceil(starts.length / 8));
  for (const { startOffset, endOffset, count } of ranges) {
    for (const [line, start] of starts.entries()) {
      if (start < startOffset || start >= endOffset) continue;
      const mask = 1 << (line % 8);
      const byte = bits[line >> 3] ?? 0;
      bits[line >> 3] = count > 0 ? byte | mask : byte & ~mask;
    }
  }
  return bits.toString('base64');
}

/** Whether the line was executed, from 0. */
export function covers(coverage: Coverage, file: string, line: number): boolean {
  const bits = Buffer.from(coverage[file] ?? '', 'base64');
  return ((bits[line >> 3] ?? 0) & (1 << (line % 8))) !== 0;
}
