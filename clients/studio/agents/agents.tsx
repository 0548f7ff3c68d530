/** The agents of the environment: who answers by itself, how, and by which instructions. */
import { Button, Group, Modal, Select, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { PageLink } from '../../kit/account/account-page.tsx';
import { useKitTexts } from '../../kit/texts/index.ts';
import type { Agent } from '../../sdk/index.ts';
import { useLooms } from '../looms/use-looms.ts';
import { Confirm } from '../parts/confirm.tsx';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { Page } from '../parts/page.tsx';
import { RoleSelect } from '../parts/role-select.tsx';
import { Time } from '../parts/time.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';

const modes = ['auto', 'suggest', 'paused'] as const;
export function Agents() {
  const texts = useTexts().agents;
  const { client, environmentId, mayWrite } = useTenant();
  const queries = useQueryClient();
  const queryKey = ['agents', environmentId];
  const [isCreating, setCreating] = useState(false);
  const [archived, setArchived] = useState<Agent>();
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey });
  const known = useAgentColumns(refresh);
  const columns = [...known];
  if (mayWrite) {
    columns.push({
      key: 'actions',
      label: '',
      isFixed: true,
      align: 'right',
      show: agent => (
        <Button
          size="compact-xs"
          variant="subtle"
          color="red.8"
          aria-label={texts.archiveOne(agent.name)}
          onClick={() => setArchived(agent)}
        >
          {texts.archive}
        </Button>
      ),
    });
  }
  const create = mayWrite && (
    <Button leftSection={<Plus size={14} />} onClick={() => setCreating(true)}>
      {texts.create}
    </Button>
  );
  return (
    <Page title={texts.title} about={texts.about} actions={create}>
      <DataTable
        name="agents"
        label={texts.title}
        queryKey={queryKey}
        load={cursor => client.agents.list({ cursor, limit: 50 })}
        rowKey={({ agentId }) => agentId}
        columns={columns}
        empty={
          <>
            <b>{texts.none}</b>
            {texts.noneHint}
            {create}
          </>
        }
      />
      {isCreating && <CreateAgent onCreated={() => void refresh()} onClose={() => setCreating(false)} />}
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
    </Page>
  );
}

function useAgentColumns(refresh: () => Promise<void>): readonly Column<Agent>[] {
  const texts = useTexts().agents;
  const { client, projectId, environmentId, mayWrite } = useTenant();
  const { data: looms } = useLooms();
  return [
    { key: 'name', label: texts.name, isFixed: true, show: ({ name }) => <bdi>{name}</bdi> },
    {
      key: 'mode',
      label: texts.mode,
      show: ({ agentId, name, mode }) => (
        <RoleSelect
          label={texts.modeOf(name)}
          isFixed={!mayWrite}
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

interface CreateAgentProps {
  readonly onCreated: () => void;
  readonly onClose: () => void;
}

function CreateAgent({ onCreated, onClose }: CreateAgentProps) {
  const texts = useTexts().agents;
  const { close } = useKitTexts().shell;
  const { client, projectId, environmentId } = useTenant();
  const { data: looms } = useLooms();
  const [name, setName] = useState('');
  const [loomId, setLoomId] = useState<string | null>(null);
  const [mode, setMode] = useState<Agent['mode']>('suggest');
  const { isRunning, error, submit } = useSubmit(async () => {
    await client.agents.create({ name: name.trim(), loomId, mode });
    onCreated();
    onClose();
  });
  return (
    <Modal opened onClose={onClose} title={texts.create} closeButtonProps={{ 'aria-label': close }}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            label={texts.name}
            required
            data-autofocus
            maxLength={256}
            value={name}
            onChange={event => setName(event.currentTarget.value)}
          />
          <Select
            label={texts.instructions}
            placeholder={texts.chooseInstructions}
            searchable
            value={loomId}
            onChange={setLoomId}
            data={(looms ?? []).map(loom => ({ value: loom.loomId, label: loom.name }))}
          />
          {looms?.length === 0 && (
            <PageLink to="/$projectId/$environmentId/instructions" params={{ projectId, environmentId }}>
              {texts.firstInstructions}
            </PageLink>
          )}
          <Select
            label={texts.mode}
            description={texts.modeHints[mode]}
            allowDeselect={false}
            value={mode}
            onChange={value => setMode(modes.find(each => each === value) ?? 'suggest')}
            data={modes.map(value => ({ value, label: texts.modes[value] }))}
          />
          {error !== undefined && <ErrorNote error={error} />}
          <Group justify="flex-end">
            <Button type="submit" loading={isRunning} disabled={name.trim() === '' || loomId === null}>
              {texts.create}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
