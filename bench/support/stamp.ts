/**
 * The time at which a message was due, in its text: the receiver in another process computes the age of the message from it. All processes of a
 * machine share the kernel's monotonic clock.
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
