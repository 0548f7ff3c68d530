/** One set of instructions: the version that is in use, those before it, and the next one, compared before it takes effect. */
import { Badge, Button, Group, Modal, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { PageLink } from '../../kit/account/account-page.tsx';
import { useKitTexts } from '../../kit/texts/index.ts';
import type { Loom, LoomVersion } from '../../sdk/index.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { Page, Section } from '../parts/page.tsx';
import { PagePending } from '../parts/page-pending.tsx';
import { Time } from '../parts/time.tsx';
import { ArchivedNotice } from '../shell/archived-notice.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { Compare } from './compare.tsx';
import { ActivateDialog, History } from './history.tsx';
import { LoomActions } from './loom-actions.tsx';
import { NextVersion } from './next-version.tsx';
import { TryVersion } from './try-version.tsx';

export function LoomPage() {
  const texts = useTexts().looms;
  const { loomId } = useParams({ from: '/signed-in/$projectId/$environmentId/instructions/$loomId' });
  const { client, projectId, environmentId, mayWrite } = useTenant();
  /** From which the next one is being written, whichever becomes the one in use meanwhile. */
  const [begun, setBegun] = useState<LoomVersion>();
  const { data: loom, error } = useQuery({
    queryKey: ['looms', environmentId, loomId],
    queryFn: () => client.looms.get(loomId),
  });
  const activeVersionId = loom?.activeVersionId ?? '';
  const { data: active } = useQuery({
    queryKey: ['loom-version', loomId, activeVersionId],
    queryFn: () => client.looms.getVersion(loomId, activeVersionId),
    enabled: activeVersionId !== '',
    staleTime: Infinity,
  });
  const back = (
    <PageLink to="/$projectId/$environmentId/instructions" params={{ projectId, environmentId }}>
      {texts.title}
    </PageLink>
  );
  if (loom === undefined) {
    return <PagePending back={back} error={error} missing={texts.missing} />;
  }
  const isArchived = loom.archivedAt != null;
  const isWriting = begun?.loomId === loomId;
  const actions = mayWrite && !isWriting && (
    <LoomActions loom={loom} onWrite={active && (() => setBegun(active))} />
  );
  return (
    <Page title={loom.name} back={back} actions={actions}>
      {isArchived && <ArchivedNotice text={texts.archived} />}
      {isWriting ? (
        <NextVersion loom={loom} begun={begun} active={active ?? begun} onDone={() => setBegun(undefined)} />
      ) : (
        <>
          {active !== undefined && (
            <Section title={texts.inUse(active.version)}>
              <Compare after={active} />
            </Section>
          )}
          <Section title={texts.versions}>
            <Versions loom={loom} active={active} />
          </Section>
          <History loom={loom} />
        </>
      )}
    </Page>
  );
}

interface VersionsProps {
  readonly loom: Loom;
  readonly active: LoomVersion | undefined;
}

function Versions({ loom, active }: VersionsProps) {
  const texts = useTexts().looms;
  const { client, mayWrite } = useTenant();
  const [chosen, setChosen] = useState<LoomVersion>();
  const { loomId } = loom;
  const { version: shownId } = useSearch({
    from: '/signed-in/$projectId/$environmentId/instructions/$loomId',
  });
  const navigate = useNavigate({ from: '/$projectId/$environmentId/instructions/$loomId' });
  const columns: Column<LoomVersion>[] = [
    {
      key: 'version',
      label: texts.version,
      isFixed: true,
      show: ({ loomVersionId, version }) => (
        <Button
          size="compact-xs"
          variant="subtle"
          onClick={() => void navigate({ search: { version: loomVersionId } })}
        >
          {texts.numbered(version)}
        </Button>
      ),
    },
    {
      key: 'state',
      label: texts.status,
      show: ({ loomVersionId }) =>
        loomVersionId === loom.activeVersionId && <Badge color="green">{texts.active}</Badge>,
    },
    { key: 'model', label: texts.fields.model, show: ({ model }) => <bdi>{model}</bdi> },
    { key: 'created', label: texts.created, show: ({ createdAt }) => <Time at={createdAt} /> },
    { key: 'id', label: 'ID', show: ({ loomVersionId }) => loomVersionId, isExtra: true },
  ];
  if (mayWrite) {
    columns.push({
      key: 'actions',
      label: '',
      isFixed: true,
      align: 'right',
      show: each =>
        loom.archivedAt == null &&
        each.status === 'published' &&
        each.loomVersionId !== loom.activeVersionId && (
          <Button size="compact-xs" variant="default" onClick={() => setChosen(each)}>
            {texts.activateOne(each.version)}
          </Button>
        ),
    });
  }
  return (
    <Stack gap="sm">
      <DataTable
        name="versions"
        label={texts.versions}
        queryKey={['loom-versions', loomId]}
        load={cursor => client.looms.listVersions(loomId, { cursor, limit: 50 })}
        rowKey={({ loomVersionId }) => loomVersionId}
        columns={columns}
        empty={texts.noVersions}
      />
      {chosen !== undefined && (
        <ActivateDialog loom={loom} version={chosen} onClose={() => setChosen(undefined)} />
      )}
      {shownId !== undefined && (
        <ShownVersion
          loomId={loomId}
          loomVersionId={shownId}
          active={active}
          onClose={() => void navigate({ search: {} })}
        />
      )}
    </Stack>
  );
}

interface ShownVersionProps {
  readonly loomId: string;
  readonly loomVersionId: string;
  readonly active: LoomVersion | undefined;
  readonly onClose: () => void;
}

/** A version beside the one that is in use, and what it would answer. */
function ShownVersion({ loomId, loomVersionId, active, onClose }: ShownVersionProps) {
  const texts = useTexts().looms;
  const { close } = useKitTexts().shell;
  const { client, mayWrite } = useTenant();
  const { data: version, error } = useQuery({
    queryKey: ['loom-version', loomId, loomVersionId],
    queryFn: () => client.looms.getVersion(loomId, loomVersionId),
    staleTime: Infinity,
  });
  const isActive = active?.loomVersionId === loomVersionId;
  return (
    <Modal
      opened
      size="90%"
      onClose={onClose}
      title={version === undefined ? texts.version : texts.numbered(version.version)}
      closeButtonProps={{ 'aria-label': close }}
    >
      {error !== null && <ErrorNote error={error} />}
      {version !== undefined && (
        <>
          <Compare before={isActive ? undefined : active} after={version} />
          {mayWrite && (
            <Section title={texts.trial.title}>
              <TryVersion version={version} />
            </Section>
          )}
        </>
      )}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose}>
          {close}
        </Button>
      </Group>
    </Modal>
  );
}
