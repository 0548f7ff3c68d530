/** Where a service window stands, for a question to the server that has to be asked again when it moves. */
import type { Thread } from '../../sdk/index.ts';

/**
 * `ended`: by this clock, and the server has yet to say so; of two clocks that differ the server's counts.
 *
 * @param now milliseconds since 1970
 */
export function getWindowPhase(
  { serviceWindow }: Pick<Thread, 'serviceWindow'>,
  now: number,
): 'none' | 'open' | 'ended' | 'closed' {
  if (serviceWindow == null) return 'none';
  const { open, expiresAt } = serviceWindow;
  if (!open) return 'closed';
  return expiresAt !== null && Date.parse(expiresAt) <= now ? 'ended' : 'open';
}
