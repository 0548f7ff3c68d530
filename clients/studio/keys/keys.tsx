/** The API keys of the project. */
import { Code } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiKey } from '../../sdk/index.ts';
import { Confirm } from '../parts/confirm.tsx';
import type { Column } from '../parts/data-table.tsx';
import { Grace } from '../parts/grace.tsx';
import { NameDialog } from '../parts/name-dialog.tsx';
import { ListPage } from '../parts/list-page.tsx';
import { RotateSecret } from '../parts/rotate-secret.tsx';
import { RowMenu } from '../parts/row-menu.tsx';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { CreateKey } from './create-key.tsx';

type Opened =
  | { readonly is: 'create' }
  | { readonly is: 'rename' | 'rotate' | 'revoke'; readonly key: ApiKey };

export function Keys() {
  const texts = useTexts().keys;
  const { client, projectId, mayWrite } = useTenant();
  const queries = useQueryClient();
  const queryKey = ['keys', projectId];
  const [opened, setOpened] = useState<Opened>();
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey });
  const columns: Column<ApiKey>[] = [
    { key: 'name', label: texts.name, isFixed: true, show: key => <bdi>{key.name}</bdi> },
    { key: 'prefix', label: texts.prefix, show: key => <Code>{key.keyPrefix}…</Code> },
    { key: 'environment', label: texts.environment, show: key => texts.environments[key.environment] },
    { key: 'scopes', label: texts.scopes, show: key => key.scopes.join(', '), isExtra: true },
    {
      key: 'status',
      label: texts.status,
      show: key => (
        <>
          <State of={key.status} label={texts.states[key.status]} />
          {key.status === 'rotating' && key.rotationGraceExpiresAt != null && (
            <Grace until={key.rotationGraceExpiresAt} onEnd={() => void refresh()} />
          )}
        </>
      ),
    },
    { key: 'used', label: texts.lastUsed, show: key => <Time at={key.lastUsedAt} none={texts.never} /> },
    { key: 'address', label: texts.lastAddress, show: key => key.lastUsedIp ?? '–', isExtra: true },
    { key: 'created', label: texts.created, show: key => <Time at={key.createdAt} />, isExtra: true },
    { key: 'expires', label: texts.expires, show: key => <Time at={key.expiresAt} none={texts.never} /> },
  ];
  if (mayWrite) {
    columns.push({
      key: 'actions',
      label: '',
      isFixed: true,
      align: 'right',
      show: key => key.status !== 'revoked' && <KeyMenu apiKey={key} onOpen={setOpened} />,
    });
  }
  return (
    <ListPage
      texts={texts}
      name="keys"
      queryKey={queryKey}
      load={query => client.apiKeys.list(query)}
      rowKey={key => key.apiKeyId}
      columns={columns}
      onCreate={mayWrite ? () => setOpened({ is: 'create' }) : undefined}
    >
      {opened !== undefined && (
        <KeyDialog opened={opened} onChanged={refresh} onClose={() => setOpened(undefined)} />
      )}
    </ListPage>
  );
}

interface KeyDialogProps {
  readonly opened: Opened;
  readonly onChanged: () => Promise<void>;
  readonly onClose: () => void;
}

/** What is done with a key, or makes one. */
function KeyDialog({ opened, onChanged, onClose }: KeyDialogProps) {
  const texts = useTexts().keys;
  const { client } = useTenant();
  return (
    <>
      {opened.is === 'create' && <CreateKey onCreated={() => void onChanged()} onClose={onClose} />}
      {opened.is === 'rotate' && (
        <RotateSecret
          title={texts.rotateTitle(opened.key.name)}
          hint={texts.rotateHint}
          about={texts.secretOnce}
          rotate={async gracePeriodSeconds => {
            const { newKey, rotationGraceExpiresAt } = await client.apiKeys.rotate(opened.key.apiKeyId, {
              gracePeriodSeconds,
            });
            return { secret: newKey.secret, graceEndsAt: rotationGraceExpiresAt };
          }}
          onRotated={() => void onChanged()}
          onClose={onClose}
        />
      )}
      {opened.is === 'rename' && (
        <NameDialog
          title={texts.rename}
          label={texts.name}
          name={opened.key.name}
          maxLength={128}
          action={texts.rename}
          run={async name => {
            await client.apiKeys.update(opened.key.apiKeyId, { name });
            await onChanged();
          }}
          onClose={onClose}
        />
      )}
      {opened.is === 'revoke' && (
        <Confirm
          title={texts.revokeTitle(opened.key.name)}
          action={texts.revoke}
          name={opened.key.name}
          run={async () => {
            await client.apiKeys.revoke(opened.key.apiKeyId);
            await onChanged();
          }}
          onClose={onClose}
        >
          {texts.revokeHint}
        </Confirm>
      )}
    </>
  );
}

interface KeyMenuProps {
  readonly apiKey: ApiKey;
  readonly onOpen: (opened: Opened) => void;
}

function KeyMenu({ apiKey, onOpen }: KeyMenuProps) {
  const texts = useTexts().keys;
  const changes =
    apiKey.status === 'active'
      ? [
          { label: texts.rename, onChoose: () => onOpen({ is: 'rename', key: apiKey }) },
          { label: texts.rotate, onChoose: () => onOpen({ is: 'rotate', key: apiKey }) },
        ]
      : [];
  return (
    <RowMenu
      label={texts.actions(apiKey.name)}
      acts={[
        ...changes,
        { label: texts.revoke, isDanger: true, onChoose: () => onOpen({ is: 'revoke', key: apiKey }) },
      ]}
    />
  );
}
