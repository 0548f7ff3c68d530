/** The agents of the environment: who answers by itself, how, and by which instructions. */
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { PageLink } from '../../kit/account/account-page.tsx';
import { useAction } from '../../kit/use-action.ts';
import type { Agent } from '../../sdk/index.ts';
import { useLooms } from '../looms/use-looms.ts';
import { Confirm } from '../parts/confirm.tsx';
import type { Column } from '../parts/data-table.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { ListPage } from '../parts/list-page.tsx';
import { Name } from '../parts/name.tsx';
import { RoleSelect } from '../parts/role-select.tsx';
import { RowMenu } from '../parts/row-menu.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { AgentDialog, modes } from './agent-dialog.tsx';

export function Agents() {
  const texts = useTexts().agents;
  const isArchived = useSearch({ from: '/signed-in/$projectId/$environmentId/agents' }).archived === 'yes';
  const navigate = useNavigate({ from: '/$projectId/$environmentId/agents' });
  const { client, environmentId, mayWrite } = useTenant();
  const queries = useQueryClient();
  const queryKey = ['agents', environmentId];
  /** 'new': one that is being made. */
  const [edited, setEdited] = useState<Agent | 'new'>();
  const [archived, setArchived] = useState<Agent>();
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey });
  const restoring = useAction();
  const restore = async ({ agentId }: Agent): Promise<void> => {
    await client.agents.update(agentId, { archived: false });
    await refresh();
  };
  const known = useAgentColumns(refresh);
  const columns = [...known];
  if (mayWrite) {
    columns.push({
      key: 'actions',
      label: '',
      isFixed: true,
      align: 'right',
      show: agent => (
        <RowMenu
          label={texts.actions(agent.name)}
          acts={
            agent.archivedAt == null
              ? [
                  { label: texts.edit, onChoose: () => setEdited(agent) },
                  { label: texts.archive, isDanger: true, onChoose: () => setArchived(agent) },
                ]
              : [{ label: texts.restore, onChoose: () => void restoring.run(() => restore(agent)) }]
          }
        />
      ),
    });
  }
  return (
    <ListPage
      texts={texts}
      name="agents"
      queryKey={queryKey}
      archive={{ isShown: isArchived, onChange: search => void navigate({ search }) }}
      load={query => client.agents.list(query)}
      rowKey={({ agentId }) => agentId}
      columns={columns}
      notice={<ErrorNote error={restoring.error} />}
      onCreate={mayWrite ? () => setEdited('new') : undefined}
    >
      {edited !== undefined && (
        <AgentDialog
          agent={edited === 'new' ? undefined : edited}
          onDone={refresh}
          onClose={() => setEdited(undefined)}
        />
      )}
      {archived !== undefined && (
        <Confirm
          title={texts.archiveTitle(archived.name)}
          action={texts.archive}
          run={async () => {
            await client.agents.archive(archived.agentId);
            await refresh();
          }}
          onClose={() => setArchived(undefined)}
        >
          {texts.archiveHint}
        </Confirm>
      )}
    </ListPage>
  );
}

function useAgentColumns(refresh: () => Promise<void>): readonly Column<Agent>[] {
  const texts = useTexts().agents;
  const { client, projectId, environmentId, mayWrite } = useTenant();
  const { data: looms } = useLooms();
  return [
    {
      key: 'name',
      label: texts.name,
      isFixed: true,
      show: ({ agentId, name }) => (
        <PageLink
          to="/$projectId/$environmentId/agents/$agentId"
          params={{ projectId, environmentId, agentId }}
        >
          <Name of={name} id={agentId} />
        </PageLink>
      ),
    },
    {
      key: 'mode',
      label: texts.mode,
      show: ({ agentId, name, mode, archivedAt }) => (
        <RoleSelect
          label={texts.modeOf(name)}
          isFixed={!mayWrite || archivedAt != null}
          role={mode}
          roles={modes}
          labels={texts.modes}
          onChange={async chosen => {
            await client.agents.update(agentId, { mode: chosen });
            await refresh();
          }}
        />
      ),
    },
    {
      key: 'loom',
      label: texts.instructions,
      show: ({ loomId }) =>
        loomId == null ? (
          '–'
        ) : (
          <PageLink
            to="/$projectId/$environmentId/instructions/$loomId"
            params={{ projectId, environmentId, loomId }}
            search={{}}
          >
            <bdi>{looms?.find(each => each.loomId === loomId)?.name ?? loomId}</bdi>
          </PageLink>
        ),
    },
    {
      key: 'runs',
      label: texts.runs,
      show: ({ agentId, name }) => (
        <PageLink
          to="/$projectId/$environmentId/runs"
          params={{ projectId, environmentId }}
          search={{ agent: agentId }}
          aria-label={texts.runsOf(name)}
        >
          {texts.toRuns}
        </PageLink>
      ),
    },
    { key: 'created', label: texts.created, show: ({ createdAt }) => <Time at={createdAt} />, isExtra: true },
    { key: 'id', label: 'ID', show: ({ agentId }) => agentId, isExtra: true },
  ];
}
