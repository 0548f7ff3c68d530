/**
 * How long a test waits for an event before it says what did not come, in milliseconds. It ends a test that hangs, and nothing else: a
 * slow machine that has other things to do must never reach it. Less than the limit of a whole file (test/main.ts).
 */
export const timeLimitMs = 600_000;

/** Rejects when the promise does not settle: `no ${what}`. */
export async function withTimeLimit<T>(promise: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no ${what} within ${timeLimitMs} ms`)), timeLimitMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
