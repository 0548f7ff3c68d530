/** When versions became the ones in use, by whom and why; and the way back to the one before, by one click. */
import { Button, Stack, Textarea } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { skein } from '../../kit/browser-session.ts';
import { useAction } from '../../kit/use-action.ts';
import { toReadableName } from '../../kit/people/readable-name.ts';
import type { Loom, LoomActivation, LoomVersion } from '../../sdk/index.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { Dialog, DialogForm } from '../parts/dialog.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { Section } from '../parts/page.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { mostMembers } from '../team/most-members.ts';
import { useTexts } from '../texts/index.ts';

/** Code points. */
const longestReason = 1_000;

/** Makes a version the one in use. Where another one is by now than the page shows, nothing happens, and the API says so. */
export function useActivate({ loomId, activeVersionId }: Loom) {
  const { client, environmentId } = useTenant();
  const queries = useQueryClient();
  return async (loomVersionId: string, reason = ''): Promise<void> => {
    await client.looms.activateVersion(loomId, {
      loomVersionId,
      ...(activeVersionId == null ? {} : { expectedActiveVersionId: activeVersionId }),
      ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
    });
    await queries.invalidateQueries({ queryKey: ['looms', environmentId, loomId] });
    await queries.invalidateQueries({ queryKey: ['loom-activations', loomId] });
  };
}

interface ReasonFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function ReasonField({ value, onChange }: ReasonFieldProps) {
  const texts = useTexts().looms;
  return (
    <Textarea
      label={texts.reason}
      description={texts.reasonHint}
      autosize
      maxRows={6}
      maxLength={longestReason}
      value={value}
      onChange={event => onChange(event.currentTarget.value)}
    />
  );
}

interface ActivateDialogProps {
  readonly loom: Loom;
  readonly version: LoomVersion;
  readonly onClose: () => void;
}

export function ActivateDialog({ loom, version, onClose }: ActivateDialogProps) {
  const texts = useTexts().looms;
  const activate = useActivate(loom);
  const [reason, setReason] = useState('');
  const action = texts.activateOne(version.version);
  return (
    <Dialog title={action} onClose={onClose}>
      <DialogForm
        action={action}
        run={async () => {
          await activate(version.loomVersionId, reason);
          onClose();
        }}
      >
        <ReasonField value={reason} onChange={setReason} />
      </DialogForm>
    </Dialog>
  );
}

export function History({ loom }: { readonly loom: Loom }) {
  const texts = useTexts().looms;
  const { client, mayWrite } = useTenant();
  const toActor = useActorName();
  const action = useAction();
  const activate = useActivate(loom);
  const { loomId, activeVersionId, archivedAt } = loom;
  const { data: newest } = useQuery({
    queryKey: ['loom-activations', loomId, 'newest'],
    queryFn: async () => (await client.looms.listActivations(loomId, { limit: 1 })).data[0] ?? null,
  });
  const columns: Column<LoomActivation>[] = [
    { key: 'version', label: texts.version, isFixed: true, show: each => texts.numbered(each.version) },
    { key: 'at', label: texts.activatedAt, show: ({ createdAt }) => <Time at={createdAt} /> },
    { key: 'by', label: texts.activatedBy, show: ({ actor }) => <bdi>{toActor(actor)}</bdi> },
    { key: 'reason', label: texts.reason, show: ({ reason }) => <bdi>{reason ?? '–'}</bdi> },
    {
      key: 'before',
      label: texts.before,
      show: ({ previousVersion: before }) => (before === null ? '–' : texts.numbered(before)),
      isExtra: true,
    },
  ];
  const { previousVersionId, previousVersion } = newest ?? {};
  const revert = mayWrite &&
    archivedAt == null &&
    newest?.loomVersionId === activeVersionId &&
    previousVersionId != null &&
    previousVersion != null && (
      <Button
        variant="default"
        loading={action.isRunning}
        onClick={() => void action.run(() => activate(previousVersionId))}
      >
        {texts.revertTo(previousVersion)}
      </Button>
    );
  return (
    <Section title={texts.history} actions={revert}>
      <Stack gap="sm">
        <ErrorNote error={action.error} />
        <DataTable
          name="activations"
          label={texts.history}
          queryKey={['loom-activations', loomId]}
          load={cursor => client.looms.listActivations(loomId, { cursor, limit: 20 })}
          rowKey={({ number }) => String(number)}
          columns={columns}
          empty={texts.noHistory}
        />
      </Stack>
    </Section>
  );
}

/** Who has done something, by name where they are of the workspace. */
function useActorName(): (actor: LoomActivation['actor']) => string {
  const { actors } = useTexts().looms;
  const { workspaceId } = useTenant();
  const { data: members = [] } = useQuery({
    queryKey: ['members', workspaceId, 'all'],
    queryFn: () => skein.members.list(workspaceId, { limit: 100 }).toArray(mostMembers),
  });
  return ({ type, id }) => {
    const member = members.find(({ userId }) => userId === id);
    if (member !== undefined) return toReadableName(member.displayName);
    const sort = type === 'user' || type === 'api_key' ? actors[type] : actors.system;
    return id === null ? sort : `${sort} ${id}`;
  };
}
