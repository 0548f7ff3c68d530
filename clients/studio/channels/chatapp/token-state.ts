import type { ChatappStatus } from '../../../sdk/index.ts';

export type TokenState = 'lasting' | 'good' | 'ending' | 'ended' | 'refused';

/** As the server warns its owners. */
const endingMs = 7 * 86_400_000;
/** The provider's codes by which it refuses a token, whatever it is used for. */
const refusals: readonly (number | null | undefined)[] = [0, 190];

/** How it stands with the access token of a channel; undefined: it has none. */
export function findTokenState(
  {
    wabaId,
    status,
    tokenExpiresAt,
    error,
  }: Pick<ChatappStatus, 'wabaId' | 'status' | 'tokenExpiresAt' | 'error'>,
  now: number,
): TokenState | undefined {
  if (wabaId === null) return undefined;
  if (status === 'error' && error?.step === null && refusals.includes(error.code)) return 'refused';
  if (tokenExpiresAt === null) return 'lasting';
  const left = Date.parse(tokenExpiresAt) - now;
  if (left <= 0) return 'ended';
  return left <= endingMs ? 'ending' : 'good';
}
