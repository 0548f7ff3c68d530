/** Who has changed what in the workspace, and from where. */
import { Button, Code, Drawer, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { skein } from '../../kit/browser-session.ts';
import { useKitTexts } from '../../kit/texts/index.ts';
import type { AuditLog, ListAuditLogsQuery } from '../../sdk/index.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { Facts } from '../parts/facts.tsx';
import { Json } from '../parts/json.tsx';
import { Page } from '../parts/page.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { mostMembers } from '../team/most-members.ts';
import { useTexts } from '../texts/index.ts';

type Action = NonNullable<ListAuditLogsQuery['action']>;

export function Audit() {
  const texts = useTexts().audit;
  const { workspaceId } = useTenant();
  const search = useSearch({ from: '/signed-in/$projectId/$environmentId/audit' });
  const navigate = useNavigate({ from: '/$projectId/$environmentId/audit' });
  const [shown, setShown] = useState<AuditLog>();
  const { data: members = [] } = useQuery({
    queryKey: ['members', workspaceId, 'all'],
    queryFn: () => skein.members.list(workspaceId, { limit: 100 }).toArray(mostMembers),
  });
  const actor = ({ type, id }: AuditLog['actor']): string => {
    const member = members.find(({ userId }) => userId === id);
    return member?.email ?? `${texts.actors[type]} ${id}`;
  };
  const columns: Column<AuditLog>[] = [
    {
      key: 'action',
      label: texts.action,
      isFixed: true,
      show: log => (
        <Button size="compact-xs" variant="subtle" onClick={() => setShown(log)}>
          {log.action}
        </Button>
      ),
    },
    { key: 'actor', label: texts.actor, show: log => <bdi>{actor(log.actor)}</bdi> },
    { key: 'target', label: texts.target, show: ({ targetId }) => targetId ?? '–' },
    { key: 'at', label: texts.at, show: ({ createdAt }) => <Time at={createdAt} isExact /> },
    { key: 'address', label: texts.address, show: ({ address }) => address ?? '–', isExtra: true },
    { key: 'request', label: texts.request, show: ({ requestId }) => requestId ?? '–', isExtra: true },
  ];
  return (
    <Page title={texts.title} about={texts.about}>
      <DataTable
        name="audit"
        label={texts.title}
        queryKey={['audit', workspaceId, search]}
        load={cursor =>
          skein.auditLogs.list({
            workspaceId,
            // What the server does not know, it refuses, in words.
            action: search.action as Action | undefined,
            actorId: search.actor,
            targetId: search.target,
            cursor,
            limit: 50,
          })
        }
        rowKey={({ auditLogId }) => auditLogId}
        columns={columns}
        empty={texts.none}
        controls={
          <>
            <TextInput
              key={`action-${search.action ?? ''}`}
              size="xs"
              w={200}
              aria-label={texts.action}
              placeholder={texts.actionHint}
              defaultValue={search.action ?? ''}
              onKeyDown={event => {
                const action = event.currentTarget.value.trim() || undefined;
                if (event.key === 'Enter') void navigate({ search: before => ({ ...before, action }) });
              }}
            />
            <Select
              size="xs"
              w={220}
              aria-label={texts.actor}
              placeholder={texts.anybody}
              clearable
              searchable
              value={search.actor ?? null}
              onChange={value =>
                void navigate({ search: before => ({ ...before, actor: value ?? undefined }) })
              }
              data={members.map(({ userId, email }) => ({ value: userId, label: email }))}
            />
            <TextInput
              key={`target-${search.target ?? ''}`}
              size="xs"
              w={220}
              aria-label={texts.target}
              placeholder={texts.target}
              defaultValue={search.target ?? ''}
              onKeyDown={event => {
                const target = event.currentTarget.value.trim() || undefined;
                if (event.key === 'Enter') void navigate({ search: before => ({ ...before, target }) });
              }}
            />
          </>
        }
      />
      {shown !== undefined && (
        <Entry log={shown} actor={actor(shown.actor)} onClose={() => setShown(undefined)} />
      )}
    </Page>
  );
}

interface EntryProps {
  readonly log: AuditLog;
  readonly actor: string;
  readonly onClose: () => void;
}

function Entry({ log, actor, onClose }: EntryProps) {
  const texts = useTexts().audit;
  const { close } = useKitTexts().shell;
  return (
    <Drawer opened onClose={onClose} title={log.action} closeButtonProps={{ 'aria-label': close }}>
      <Facts
        facts={[
          [texts.actor, <bdi key="actor">{actor}</bdi>],
          [texts.at, <Time key="at" at={log.createdAt} isExact />],
          [texts.target, log.targetId === null ? '–' : <Code key="target">{log.targetId}</Code>],
          [texts.address, log.address ?? '–'],
          [texts.request, log.requestId ?? '–'],
        ]}
      />
      <div style={{ marginTop: 16 }}>
        <Json label={texts.details} value={log.details} />
      </div>
    </Drawer>
  );
}
