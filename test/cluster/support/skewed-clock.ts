/**
 * A wall clock that is wrong: for the process that imports this first with `?ms=`, and for its workers. The monotonic clock goes on as
 * it did, as it would on a machine whose clock is wrong.
 */
const shift = new URL(import.meta.url).searchParams.get('ms');
if (shift !== null) shiftBy(Number(shift));

/** What a node process has to find in its environment to have a wall clock that is wrong by so much. */
export function wrongBy(ms: number): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--import=${import.meta.url}?ms=${ms}` };
}

function shiftBy(ms: number): void {
  const RealDate = Date;
  const now = (): number => RealDate.now() + ms;
  globalThis.Date = new Proxy(RealDate, {
    construct: (real, given: unknown[], target) =>
      Reflect.construct(real, given.length === 0 ? [now()] : given, target) as Date,
    apply: () => new RealDate(now()).toString(),
    get: (real, name) => (name === 'now' ? now : (Reflect.get(real, name) as unknown)),
  });
}
