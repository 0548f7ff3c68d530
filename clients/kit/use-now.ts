import { useEffect, useState } from 'react';

/** The time in milliseconds since 1970, told so often; without an interval, not again. */
export function useNow(everyMs: number | undefined): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (everyMs === undefined) return undefined;
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/** The same by the half minute, for what is shown in minutes. */
export const useMinute = (): number => useNow(30_000);
