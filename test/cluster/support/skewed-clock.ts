/**
 * Shifts the wall clock of the process that imports it first, and of its workers: `node --import '<this file>?ms=180000'`. The
 * monotonic clock goes on as it did, as it would on a machine whose clock is wrong.
 */
const shiftMs = Number(new URL(import.meta.url).searchParams.get('ms'));
const RealDate = Date;
const now = (): number => RealDate.now() + shiftMs;

globalThis.Date = new Proxy(RealDate, {
  construct: (real, given: unknown[], target) =>
    Reflect.construct(real, given.length === 0 ? [now()] : given, target) as Date,
  apply: () => new RealDate(now()).toString(),
  get: (real, name) => (name === 'now' ? now : (Reflect.get(real, name) as unknown)),
});

export {};
