/** One entry of the audit log, found by its time: the API lists entries, and reads none by its id. */
import { Code, Drawer } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { skein } from '../../kit/browser-session.ts';
import { useKitTexts } from '../../kit/texts/index.ts';
import type { AuditLog } from '../../sdk/index.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { Facts } from '../parts/facts.tsx';
import { Json } from '../parts/json.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';

/** So many of one millisecond are looked through. */
const mostOfTime = 200;

interface AuditEntryProps {
  readonly auditLogId: string;
  /** When it was created. */
  readonly at: string;
  readonly toActor: (actor: AuditLog['actor']) => string;
  readonly onClose: () => void;
}

export function AuditEntry({ auditLogId, at, toActor, onClose }: AuditEntryProps) {
  const texts = useTexts().audit;
  const { close, loading } = useKitTexts().shell;
  const { workspaceId } = useTenant();
  const { data: log, error } = useQuery({
    queryKey: ['audit-entry', workspaceId, auditLogId],
    queryFn: async () => {
      const until = new Date(Date.parse(at) + 1).toISOString();
      const found = skein.auditLogs.list({ workspaceId, since: at, until, limit: 100 });
      return (await found.toArray(mostOfTime)).find(each => each.auditLogId === auditLogId) ?? null;
    },
    staleTime: Infinity,
  });
  return (
    <Drawer
      opened
      onClose={onClose}
      title={log?.action ?? texts.title}
      closeButtonProps={{ 'aria-label': close }}
    >
      <ErrorNote error={error} />
      {log === undefined && error === null && loading}
      {log === null && texts.missing}
      {log != null && (
        <>
          <Facts
            facts={[
              [texts.actor, <bdi key="actor">{toActor(log.actor)}</bdi>],
              [texts.at, <Time key="at" at={log.createdAt} isExact />],
              [texts.target, log.targetId === null ? '–' : <Code key="target">{log.targetId}</Code>],
              [texts.address, log.address ?? '–'],
              [texts.request, log.requestId ?? '–'],
            ]}
          />
          <div style={{ marginTop: 16 }}>
            <Json label={texts.details} value={log.details} />
          </div>
        </>
      )}
    </Drawer>
  );
}
