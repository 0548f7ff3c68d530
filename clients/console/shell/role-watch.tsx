/** The operator's role may be changed while they work: the page follows as soon as the stream or a refusal says so. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { onRefusal } from '../../kit/browser-session.ts';
import type { StreamListener } from '../live/project-stream.ts';
import { useStreamListener } from '../live/stream-context.tsx';
import { useConversing } from '../thread/conversations-context.tsx';

const changing: ReadonlySet<string> = new Set([
  'project.member.upserted',
  'project.member.removed',
  'project.role.upserted',
  'project.role.removed',
]);

export function RoleWatch(): null {
  const queries = useQueryClient();
  const { projectId } = useConversing();
  const [listener, read] = useMemo(() => {
    const readRoles = (): void => void queries.invalidateQueries({ queryKey: ['colleagues', projectId] });
    const streamed: StreamListener = {
      onEvent: ({ eventName }) => {
        if (changing.has(eventName)) readRoles();
      },
      onReset: readRoles,
    };
    return [streamed, readRoles] as const;
  }, [queries, projectId]);
  useStreamListener(listener);
  useEffect(() => onRefusal(read), [read]);
  return null;
}
