/** Going through a list by keys, and opening what stands in it. */
import { useNavigate } from '@tanstack/react-router';
import { useCallback, type KeyboardEvent } from 'react';
import type { QueueName } from '../live/queues.ts';
import { useConversing } from '../thread/conversations-context.tsx';
import { withoutMessage } from './use-filters.ts';

/** By the keys of the arrows. */
export function moveByArrow(event: KeyboardEvent, move: (step: number) => void): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  move(step);
}

interface Movable {
  readonly order: readonly string[];
  readonly selected: string | undefined;
  readonly open: (threadId: string) => void;
  readonly scrollTo: (index: number) => void;
}

/** Opens the next thread, or the one before. */
export function useMove({ order, selected, open, scrollTo }: Movable): (step: number) => void {
  return step => {
    const at = selected === undefined ? -1 : order.indexOf(selected);
    const next = Math.min(order.length - 1, Math.max(0, at + step));
    const threadId = order[next];
    if (threadId === undefined || threadId === selected) return;
    scrollTo(next);
    open(threadId);
  };
}

export function useOpenThread(queue: QueueName): (threadId: string) => void {
  const navigate = useNavigate();
  const { projectId, environmentId } = useConversing();
  return useCallback(
    threadId => {
      const params = { projectId, environmentId, queue, threadId };
      void navigate({ to: '/$projectId/$environmentId/$queue/$threadId', params, search: withoutMessage });
    },
    [navigate, projectId, environmentId, queue],
  );
}
