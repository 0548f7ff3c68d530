/** The tools of the environment: what agents can ask of your programs. */
import { useState } from 'react';
import { PageLink } from '../../kit/account/account-page.tsx';
import type { Tool } from '../../sdk/index.ts';
import type { Column } from '../parts/data-table.tsx';
import { ListPage } from '../parts/list-page.tsx';
import { Name } from '../parts/name.tsx';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { CreateTool } from './create-tool.tsx';

export function Tools() {
  const texts = useTexts().tools;
  const { client, projectId, environmentId, mayWrite } = useTenant();
  const [isCreating, setCreating] = useState(false);
  const columns: Column<Tool>[] = [
    {
      key: 'name',
      label: texts.name,
      isFixed: true,
      show: ({ toolId, name }) => (
        <PageLink to="/$projectId/$environmentId/tools/$toolId" params={{ projectId, environmentId, toolId }}>
          <Name of={name} id={toolId} />
        </PageLink>
      ),
    },
    { key: 'method', label: texts.method, show: ({ method }) => method },
    { key: 'url', label: texts.url, show: ({ url }) => <bdi>{url ?? '–'}</bdi> },
    {
      key: 'status',
      label: texts.status,
      show: ({ status }) => <State of={status} label={texts.states[status]} />,
    },
    {
      key: 'approval',
      label: texts.approval,
      show: ({ requiresApproval }) => (requiresApproval === true ? texts.byPeople : texts.byItself),
    },
    { key: 'changed', label: texts.changed, show: ({ updatedAt }) => <Time at={updatedAt} />, isExtra: true },
    { key: 'id', label: 'ID', show: ({ toolId }) => toolId, isExtra: true },
  ];
  return (
    <ListPage
      texts={texts}
      name="tools"
      queryKey={['tools', environmentId]}
      load={query => client.tools.list(query)}
      rowKey={({ toolId }) => toolId}
      columns={columns}
      onCreate={mayWrite ? () => setCreating(true) : undefined}
    >
      {isCreating && <CreateTool onClose={() => setCreating(false)} />}
    </ListPage>
  );
}
