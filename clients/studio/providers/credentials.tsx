/** The keys of model providers that the environment brings itself: sealed on the server, shown to nobody again. */
import { Code } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { lazyPart } from '../../kit/lazy-part.ts';
import type { ByokCredential } from '../../sdk/index.ts';
import { Confirm } from '../parts/confirm.tsx';
import type { Column } from '../parts/data-table.tsx';
import { Grace } from '../parts/grace.tsx';
import { ListPage } from '../parts/list-page.tsx';
import { RowMenu } from '../parts/row-menu.tsx';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { CreateCredential, EditCredential, RotateCredential } from './credential-dialogs.tsx';

const Prices = lazyPart(() => import('./prices.tsx'));

type Opened =
  | { readonly is: 'create' }
  | { readonly is: 'edit' | 'rotate' | 'revoke'; readonly credential: ByokCredential };

export function Credentials() {
  const texts = useTexts().credentials;
  const { client, environmentId, mayWrite } = useTenant();
  const queries = useQueryClient();
  const queryKey = ['credentials', environmentId];
  const [opened, setOpened] = useState<Opened>();
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey });
  const columns = useCredentialColumns(setOpened, refresh);
  const close = (): void => setOpened(undefined);
  return (
    <ListPage
      texts={texts}
      name="credentials"
      queryKey={queryKey}
      load={query => client.byokCredentials.list(query)}
      rowKey={({ byokCredentialId }) => byokCredentialId}
      columns={columns}
      onCreate={mayWrite ? () => setOpened({ is: 'create' }) : undefined}
    >
      <Suspense>
        <Prices />
      </Suspense>
      {opened?.is === 'create' && <CreateCredential onDone={refresh} onClose={close} />}
      {opened?.is === 'edit' && (
        <EditCredential credential={opened.credential} onDone={refresh} onClose={close} />
      )}
      {opened?.is === 'rotate' && (
        <RotateCredential credential={opened.credential} onDone={refresh} onClose={close} />
      )}
      {opened?.is === 'revoke' && (
        <Confirm
          title={texts.revokeTitle(opened.credential.displayName)}
          action={texts.revoke}
          name={opened.credential.displayName}
          run={async () => {
            await client.byokCredentials.revoke(opened.credential.byokCredentialId);
            await refresh();
          }}
          onClose={close}
        >
          {texts.revokeHint}
        </Confirm>
      )}
    </ListPage>
  );
}

function useCredentialColumns(
  onOpen: (opened: Opened) => void,
  refresh: () => Promise<void>,
): readonly Column<ByokCredential>[] {
  const texts = useTexts().credentials;
  const { providers: providerNames } = useTexts().looms;
  const { mayWrite } = useTenant();
  const columns: Column<ByokCredential>[] = [
    { key: 'name', label: texts.name, isFixed: true, show: ({ displayName }) => <bdi>{displayName}</bdi> },
    { key: 'provider', label: texts.provider, show: ({ provider }) => providerNames[provider] },
    { key: 'print', label: texts.fingerprint, show: ({ keyFingerprint }) => <Code>{keyFingerprint}</Code> },
    {
      key: 'models',
      label: texts.models,
      show: ({ modelAllowlist }) =>
        modelAllowlist.length === 0 ? texts.allModels : modelAllowlist.join(', '),
    },
    {
      key: 'status',
      label: texts.status,
      show: each => (
        <>
          <State of={each.status} label={texts.states[each.status]} />
          {each.status === 'rotating' && each.rotationGraceExpiresAt != null && (
            <Grace until={each.rotationGraceExpiresAt} onEnd={() => void refresh()} />
          )}
        </>
      ),
    },
    {
      key: 'used',
      label: texts.lastUsed,
      show: ({ lastUsedAt }) => <Time at={lastUsedAt} none={texts.never} />,
    },
  ];
  if (mayWrite) {
    columns.push({
      key: 'actions',
      label: '',
      isFixed: true,
      align: 'right',
      show: credential =>
        credential.status !== 'revoked' && (
          <RowMenu
            label={texts.actions(credential.displayName)}
            acts={[
              { label: texts.edit, onChoose: () => onOpen({ is: 'edit', credential }) },
              { label: texts.rotate, onChoose: () => onOpen({ is: 'rotate', credential }) },
              { label: texts.revoke, isDanger: true, onChoose: () => onOpen({ is: 'revoke', credential }) },
            ]}
          />
        ),
    });
  }
  return columns;
}
