/** The address of a file, which is good for five minutes. */
import { useQuery } from '@tanstack/react-query';
import type { MessageAttachment } from '../../sdk/index.ts';
import { useClient } from './conversations-context.tsx';

/** A little less than an address is good for. */
const lastsMs = 240_000;

interface FileUrlOptions {
  /** Whether another one is asked for before it is over. */
  readonly isKeptFresh: boolean;
}

export function useFileUrl({ attachmentId, status }: MessageAttachment, { isKeptFresh }: FileUrlOptions) {
  const client = useClient();
  return useQuery({
    queryKey: ['file', attachmentId],
    queryFn: async () => (await client.attachments.getUrl(attachmentId ?? '')).url,
    enabled: attachmentId !== undefined && status !== 'pending' && status !== 'failed',
    staleTime: lastsMs,
    gcTime: lastsMs,
    refetchInterval: isKeptFresh && lastsMs,
  });
}
