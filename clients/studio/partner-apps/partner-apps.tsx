/** The apps of the workspace at the chat provider. */
import { Code } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { skein } from '../../kit/browser-session.ts';
import type { PartnerAppCredential } from '../../sdk/index.ts';
import { getConfigId } from '../channels/chatapp/signup-config.ts';
import { partnerAppsKey } from '../channels/chatapp/use-partner-apps.ts';
import type { Column } from '../parts/data-table.tsx';
import { ListPage } from '../parts/list-page.tsx';
import { Name } from '../parts/name.tsx';
import { RowMenu } from '../parts/row-menu.tsx';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { useWorkspace } from '../shell/workspace.tsx';
import { texts } from '../texts/partner-apps.ts';
import { RegisterApp } from './register-app.tsx';
import { RevokeApp } from './revoke-app.tsx';
import { RotateAppSecret } from './rotate-app-secret.tsx';

type Opened =
  | { readonly is: 'create' }
  | { readonly is: 'rotate' | 'revoke'; readonly app: PartnerAppCredential };

export function PartnerApps() {
  const { workspaceId, mayAdminister } = useWorkspace();
  const queries = useQueryClient();
  const queryKey = partnerAppsKey(workspaceId);
  const [opened, setOpened] = useState<Opened>();
  const close = (): void => setOpened(undefined);
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey });
  const columns: Column<PartnerAppCredential>[] = [
    {
      key: 'name',
      label: texts.name,
      isFixed: true,
      show: ({ appId, name }) => <Name of={name} id={appId} />,
    },
    { key: 'app', label: texts.appId, show: ({ appId }) => <Code>{appId}</Code> },
    {
      key: 'status',
      label: texts.status,
      show: ({ status }) => <State of={status} label={texts.states[status]} />,
    },
    {
      key: 'secret',
      label: texts.fingerprint,
      show: ({ keyFingerprint }) => <Code title={texts.fingerprintHint}>{keyFingerprint}</Code>,
    },
    { key: 'config', label: texts.config, show: app => getConfigId(app) || '–', isExtra: true },
    { key: 'created', label: texts.created, show: ({ createdAt }) => <Time at={createdAt} /> },
    { key: 'changed', label: texts.changed, show: ({ updatedAt }) => <Time at={updatedAt} />, isExtra: true },
    {
      key: 'revoked',
      label: texts.revokedAt,
      show: ({ revokedAt }) => <Time at={revokedAt} />,
      isExtra: true,
    },
    { key: 'id', label: texts.id, show: app => app.partnerAppCredentialId, isExtra: true },
  ];
  if (mayAdminister) {
    columns.push({
      key: 'actions',
      label: '',
      isFixed: true,
      align: 'right',
      show: app =>
        app.status === 'active' && (
          <RowMenu
            label={texts.actions(app.name)}
            acts={[
              { label: texts.rotate, onChoose: () => setOpened({ is: 'rotate', app }) },
              { label: texts.revoke, isDanger: true, onChoose: () => setOpened({ is: 'revoke', app }) },
            ]}
          />
        ),
    });
  }
  return (
    <ListPage
      texts={mayAdminister ? texts : { ...texts, noneHint: texts.forAdmins }}
      name="partner-apps"
      queryKey={queryKey}
      load={query => skein.partnerApps.list({ workspaceId, ...query })}
      rowKey={app => app.partnerAppCredentialId}
      columns={columns}
      onCreate={mayAdminister ? () => setOpened({ is: 'create' }) : undefined}
    >
      {opened?.is === 'create' && <RegisterApp onDone={refresh} onClose={close} />}
      {opened?.is === 'rotate' && <RotateAppSecret app={opened.app} onDone={refresh} onClose={close} />}
      {opened?.is === 'revoke' && <RevokeApp app={opened.app} onDone={refresh} onClose={close} />}
    </ListPage>
  );
}
