/** Who is signed in, and the workspaces that they belong to. */
import { useQuery } from '@tanstack/react-query';
import { skein } from '../../kit/browser-session.ts';
import type { Caller } from '../../sdk/index.ts';

export const callerKey = ['caller'];

export interface Me {
  readonly userId: string;
  readonly email: string;
}

export function toMe({ user }: Caller): Me {
  const { userId = '', email = '' } = user ?? {};
  return { userId, email };
}

export const callerQuery = { queryKey: callerKey, queryFn: () => skein.caller.get(), staleTime: 60_000 };

export function useCaller() {
  return useQuery(callerQuery);
}
