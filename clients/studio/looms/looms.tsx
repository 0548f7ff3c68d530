/** The instructions (looms) of the environment: what agents are told, with which model and tools, in versions. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { PageLink } from '../../kit/account/account-page.tsx';
import type { Loom } from '../../sdk/index.ts';
import type { Column } from '../parts/data-table.tsx';
import { Dialog, DialogForm } from '../parts/dialog.tsx';
import { ListPage } from '../parts/list-page.tsx';
import { Name } from '../parts/name.tsx';
import { Time } from '../parts/time.tsx';
import { NameField } from '../parts/name-field.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { emptyVersion, toBody, type VersionFields } from './version-fields.ts';
import { VersionForm } from './version-form.tsx';

export function Looms() {
  const texts = useTexts().looms;
  const isArchived =
    useSearch({ from: '/signed-in/$projectId/$environmentId/instructions' }).archived === 'yes';
  const navigate = useNavigate({ from: '/$projectId/$environmentId/instructions' });
  const { client, projectId, environmentId, mayWrite } = useTenant();
  const [isCreating, setCreating] = useState(false);
  const columns: Column<Loom>[] = [
    {
      key: 'name',
      label: texts.name,
      isFixed: true,
      show: ({ loomId, name }) => (
        <PageLink
          to="/$projectId/$environmentId/instructions/$loomId"
          params={{ projectId, environmentId, loomId }}
          search={{}}
        >
          <Name of={name} id={loomId} />
        </PageLink>
      ),
    },
    { key: 'status', label: texts.status, show: ({ status }) => texts.states[status] },
    { key: 'changed', label: texts.changed, show: ({ updatedAt }) => <Time at={updatedAt} /> },
    { key: 'id', label: 'ID', show: ({ loomId }) => loomId, isExtra: true },
  ];
  return (
    <ListPage
      texts={texts}
      name="looms"
      queryKey={['looms', environmentId]}
      archive={{ isShown: isArchived, onChange: search => void navigate({ search }) }}
      load={query => client.looms.list(query)}
      rowKey={({ loomId }) => loomId}
      columns={columns}
      onCreate={mayWrite ? () => setCreating(true) : undefined}
    >
      {isCreating && <CreateLoom onClose={() => setCreating(false)} />}
    </ListPage>
  );
}

function CreateLoom({ onClose }: { readonly onClose: () => void }) {
  const texts = useTexts().looms;
  const { client, projectId, environmentId } = useTenant();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [fields, setFields] = useState<VersionFields>(emptyVersion);
  return (
    <Dialog title={texts.create} size="xl" onClose={onClose}>
      <DialogForm
        action={texts.create}
        isReady={name.trim() !== '' && fields.systemPrompt.trim() !== '' && fields.model.trim() !== ''}
        run={async () => {
          const { loomId } = await client.looms.create({ name: name.trim(), ...toBody(fields) });
          await navigate({
            to: '/$projectId/$environmentId/instructions/$loomId',
            params: { projectId, environmentId, loomId },
            search: {},
          });
        }}
      >
        <NameField label={texts.name} value={name} onChange={setName} />
        <VersionForm fields={fields} onChange={setFields} />
      </DialogForm>
    </Dialog>
  );
}
