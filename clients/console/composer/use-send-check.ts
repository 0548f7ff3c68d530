/**
 * Asks the server, a moment after the last key, whether what is written would be sent, and again when the service window opens or ends. Of
 * several answers that to the last question counts.
 */
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMinute } from '../../kit/use-now.ts';
import { useMemo } from 'react';
import { ApiError, type MessageDryRun, type Thread } from '../../sdk/index.ts';
import { useErrorText } from '../../kit/error-texts.ts';
import { createRefusal } from '../../kit/refusal.ts';
import { useClient } from '../thread/conversations-context.tsx';
import { toMessageBody, type WrittenMessage } from '../thread/conversations.ts';
import { getWindowPhase } from './window-phase.ts';

/** In milliseconds. */
const settledMs = 400;
/** Stands for a text before there is one. */
const anyText = '.';

export interface SendCheck {
  /** Undefined until the server has answered. */
  readonly answer: MessageDryRun | undefined;
  /** What is wrong with the message itself. */
  readonly problem: string | undefined;
  /** Why it would be refused at this moment. */
  readonly obstacle: string | undefined;
}

export function useSendCheck(thread: Thread, written: WrittenMessage, isAsked: boolean): SendCheck {
  const client = useClient();
  const { threadId, status } = thread;
  const phase = getWindowPhase(thread, useMinute());
  const isEmpty = written.body.trim() === '' && written.attachments.length === 0;
  const body = JSON.stringify(toMessageBody(isEmpty ? { ...written, body: anyText } : written));
  const [settled] = useDebouncedValue(body, settledMs);
  const { data, error } = useQuery({
    queryKey: ['may-send', threadId, status, phase, settled],
    queryFn: ({ signal }) =>
      client.messages.check(threadId, JSON.parse(settled) as ReturnType<typeof toMessageBody>, { signal }),
    enabled: isAsked,
    staleTime: 60_000,
    // What was written is not kept.
    gcTime: 0,
    placeholderData: keepPreviousData,
  });
  const isRefused = error instanceof ApiError && (error.status === 422 || error.status === 404);
  const { reason, message } = data ?? {};
  const refusal = useMemo(
    () => (reason == null ? undefined : createRefusal({ code: reason, reason: message ?? reason })),
    [reason, message],
  );
  const problem = useErrorText(isRefused ? error : undefined);
  return { answer: data, problem, obstacle: useErrorText(refusal) };
}
