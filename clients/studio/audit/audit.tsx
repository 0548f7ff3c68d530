/** Who has changed what in the workspace, and from where. What is opened is named in the address, by its id and its time. */
import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { skein } from '../../kit/browser-session.ts';
import type { AuditLog, ListAuditLogsQuery } from '../../sdk/index.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { Page } from '../parts/page.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { mostMembers } from '../team/most-members.ts';
import { useTexts } from '../texts/index.ts';
import { AuditEntry } from './audit-entry.tsx';
import { AuditFilters } from './audit-filters.tsx';
import type { AuditSearch } from './audit-search.ts';
import { ExportAudit } from './export-audit.tsx';

type Action = NonNullable<ListAuditLogsQuery['action']>;

export function Audit() {
  const texts = useTexts().audit;
  const { workspaceId } = useTenant();
  const search = useSearch({ from: '/signed-in/$projectId/$environmentId/audit' });
  const navigate = useNavigate({ from: '/$projectId/$environmentId/audit' });
  const change = (changed: Partial<AuditSearch>): void =>
    void navigate({ search: before => ({ ...before, ...changed }) });
  const { data: members = [] } = useQuery({
    queryKey: ['members', workspaceId, 'all'],
    queryFn: () => skein.members.list(workspaceId, { limit: 100 }).toArray(mostMembers),
  });
  const toActor = ({ type, id }: AuditLog['actor']): string => {
    const member = members.find(({ userId }) => userId === id);
    return member?.email ?? `${texts.actors[type]} ${id}`;
  };
  const columns: Column<AuditLog>[] = [
    {
      key: 'action',
      label: texts.action,
      isFixed: true,
      show: ({ auditLogId, createdAt, action }) => (
        <Anchor
          component="button"
          type="button"
          size="sm"
          onClick={() => change({ entry: auditLogId, at: createdAt })}
        >
          {action}
        </Anchor>
      ),
    },
    { key: 'actor', label: texts.actor, show: log => <bdi>{toActor(log.actor)}</bdi> },
    { key: 'target', label: texts.target, show: ({ targetId }) => targetId ?? '–' },
    { key: 'at', label: texts.at, show: ({ createdAt }) => <Time at={createdAt} isExact /> },
    { key: 'address', label: texts.address, show: ({ address }) => address ?? '–', isExtra: true },
    { key: 'request', label: texts.request, show: ({ requestId }) => requestId ?? '–', isExtra: true },
  ];
  const { entry, at, ...filters } = search;
  const query = {
    // One of both, says the contract.
    ...(filters.project === undefined ? { workspaceId } : { projectId: filters.project }),
    environmentId: filters.environment,
    // What the server does not know, it refuses, in words.
    action: filters.action as Action | undefined,
    actorId: filters.actor,
    targetId: filters.target,
    since: filters.since,
    until: filters.until,
  };
  return (
    <Page title={texts.title} about={texts.about} actions={<ExportAudit query={query} />}>
      <DataTable
        name="audit"
        label={texts.title}
        queryKey={['audit', workspaceId, filters]}
        load={cursor => skein.auditLogs.list({ ...query, cursor, limit: 50 })}
        rowKey={({ auditLogId }) => auditLogId}
        columns={columns}
        empty={texts.none}
        controls={<AuditFilters members={members} search={search} onChange={change} />}
      />
      {entry !== undefined && at !== undefined && (
        <AuditEntry
          auditLogId={entry}
          at={at}
          toActor={toActor}
          onClose={() => change({ entry: undefined, at: undefined })}
        />
      )}
    </Page>
  );
}
