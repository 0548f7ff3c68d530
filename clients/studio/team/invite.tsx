/** Invites somebody by mail, with what they will be allowed. */
import { Button, Group, Modal, Select, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { skein } from '../../kit/browser-session.ts';
import { useKitTexts } from '../../kit/texts/index.ts';
import type { CreateInvitationBody } from '../../sdk/index.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';

type StudioRole = NonNullable<CreateInvitationBody['studioRole']>;
type ConsoleRole = NonNullable<CreateInvitationBody['consoleRole']>;

interface InviteProps {
  readonly onInvited: () => void;
  readonly onClose: () => void;
}

export function Invite({ onInvited, onClose }: InviteProps) {
  const texts = useTexts().team;
  const { close } = useKitTexts().shell;
  const { workspaceId } = useTenant();
  const [email, setEmail] = useState('');
  const [studioRole, setStudioRole] = useState<StudioRole>('viewer');
  const [consoleRole, setConsoleRole] = useState<ConsoleRole>('agent');
  const { isRunning, error, submit } = useSubmit(async () => {
    await skein.invitations.create(workspaceId, { email: email.trim(), studioRole, consoleRole });
    onInvited();
    onClose();
  });
  return (
    <Modal opened onClose={onClose} title={texts.invite} closeButtonProps={{ 'aria-label': close }}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            label={texts.email}
            type="email"
            required
            data-autofocus
            value={email}
            onChange={event => setEmail(event.currentTarget.value)}
          />
          <Select
            label={texts.studioRole}
            description={texts.studioRoleHints[studioRole]}
            allowDeselect={false}
            value={studioRole}
            onChange={value => value !== null && setStudioRole(value as StudioRole)}
            data={(['admin', 'viewer'] as const).map(value => ({ value, label: texts.studioRoles[value] }))}
          />
          <Select
            label={texts.consoleRoleShort}
            description={texts.consoleRoleHints[consoleRole]}
            allowDeselect={false}
            value={consoleRole}
            onChange={value => value !== null && setConsoleRole(value as ConsoleRole)}
            data={(['project_owner', 'agent', 'viewer'] as const).map(value => ({
              value,
              label: texts.consoleRoles[value],
            }))}
          />
          {error !== undefined && <ErrorNote error={error} />}
          <Group justify="flex-end">
            <Button type="submit" loading={isRunning} disabled={email.trim() === ''}>
              {texts.sendInvitation}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
