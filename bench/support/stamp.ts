/**
 * The time at which a message was to leave, in its text, for whoever gets the message in another process. It is the kernel's monotonic clock,
 * which all processes of a machine share.
 */
const mark = /@(\d+)@/;

/** Microseconds of the shared clock. */
const sharedMicros = (): number => Number(process.hrtime.bigint() / 1_000n);

/** @param at of this process's `performance.now()` */
export function createStamp(at: number): string {
  return `@${Math.round(sharedMicros() + (at - performance.now()) * 1_000)}@`;
}

/** Milliseconds since the instant that the text names; undefined when it names none. */
export function sinceStamp(text: string): number | undefined {
  const found = mark.exec(text)?.[1];
  return found === undefined ? undefined : (sharedMicros() - Number(found)) / 1_000;
}
