/** The projects of a workspace, with their environments. */
import { Badge } from '@mantine/core';
import { skein } from '../../kit/browser-session.ts';
import { PageLink } from '../../kit/account/account-page.tsx';
import { useEnvironments } from '../../kit/shell/environments.ts';
import type { Project } from '../../sdk/index.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { Name } from '../parts/name.tsx';
import { Time } from '../parts/time.tsx';
import { useWorkspace } from '../shell/workspace.tsx';
import { texts as allTexts } from '../texts/workspace.ts';
import { ProjectActions } from './project-actions.tsx';

export function Projects() {
  const texts = allTexts;
  const { workspaceId, mayAdminister } = useWorkspace();
  const columns: Column<Project>[] = [
    {
      key: 'name',
      label: texts.project,
      isFixed: true,
      show: ({ projectId, name, archivedAt }) => (
        <>
          <Name of={name} id={projectId} />{' '}
          {archivedAt != null && (
            <Badge color="gray" ms={6}>
              {texts.archived}
            </Badge>
          )}
        </>
      ),
    },
    {
      key: 'environments',
      label: texts.environments,
      show: ({ projectId }) => <Environments projectId={projectId} />,
    },
    { key: 'created', label: texts.created, show: ({ createdAt }) => <Time at={createdAt} />, isExtra: true },
    { key: 'id', label: 'ID', show: ({ projectId }) => projectId, isExtra: true },
  ];
  if (mayAdminister) {
    columns.push({
      key: 'actions',
      label: '',
      isFixed: true,
      align: 'right',
      show: project => <ProjectActions project={project} />,
    });
  }
  return (
    <DataTable
      name="projects"
      label={texts.projects}
      queryKey={['projects', workspaceId]}
      load={cursor => skein.projects.list({ workspaceId, cursor, limit: 50 })}
      rowKey={({ projectId }) => projectId}
      columns={columns}
      empty={
        <>
          <b>{texts.noProjects}</b>
          {mayAdminister && <p>{texts.noProjectsHint}</p>}
        </>
      }
    />
  );
}

/** Production is marked, so that nobody takes it for the other. */
function Environments({ projectId }: { readonly projectId: string }) {
  const texts = allTexts;
  const { data: places = [] } = useEnvironments();
  return places
    .filter(each => each.projectId === projectId)
    .map(({ environmentId, environmentName, isProduction }) => (
      <span key={environmentId} style={{ marginInlineEnd: 14 }}>
        <PageLink to="/$projectId/$environmentId" params={{ projectId, environmentId }}>
          <bdi>{environmentName}</bdi>
        </PageLink>
        {isProduction && (
          <Badge color="red" ms={6}>
            {texts.production}
          </Badge>
        )}
      </span>
    ));
}
