/** Makes an agent, or changes one: its name, its instructions, and whether it answers by itself. */
import { Select } from '@mantine/core';
import { useState } from 'react';
import { PageLink } from '../../kit/account/account-page.tsx';
import type { Agent } from '../../sdk/index.ts';
import { useLooms } from '../looms/use-looms.ts';
import { sendChanges } from '../parts/changed-fields.ts';
import { Dialog, DialogForm } from '../parts/dialog.tsx';
import { NameField } from '../parts/name-field.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';

export const modes = ['auto', 'suggest', 'paused'] as const;

interface AgentDialogProps {
  /** As it was when it was opened. Undefined: a new one. */
  readonly agent: Agent | undefined;
  readonly onDone: () => Promise<void>;
  readonly onClose: () => void;
}

export function AgentDialog({ agent, onDone, onClose }: AgentDialogProps) {
  const texts = useTexts().agents;
  const { client, projectId, environmentId } = useTenant();
  const { data: looms } = useLooms();
  const [name, setName] = useState(agent?.name ?? '');
  const [loomId, setLoomId] = useState<string | null>(agent?.loomId ?? null);
  const [mode, setMode] = useState<Agent['mode']>(agent?.mode ?? 'suggest');
  const run = async (): Promise<void> => {
    const body = { name: name.trim(), loomId, mode };
    if (agent === undefined) await client.agents.create(body);
    else {
      const begun = { name: agent.name.trim(), loomId: agent.loomId ?? null, mode: agent.mode };
      await sendChanges(begun, body, changes => client.agents.update(agent.agentId, changes));
    }
    await onDone();
    onClose();
  };
  return (
    <Dialog title={agent === undefined ? texts.create : texts.editTitle(agent.name)} onClose={onClose}>
      <DialogForm
        action={agent === undefined ? texts.create : texts.save}
        isReady={name.trim() !== '' && loomId !== null}
        run={run}
      >
        <NameField label={texts.name} value={name} onChange={setName} />
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
      </DialogForm>
    </Dialog>
  );
}
