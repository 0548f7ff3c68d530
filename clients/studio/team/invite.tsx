/** Invites somebody by mail, with what they will be allowed. */
import { Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { skein } from '../../kit/browser-session.ts';
import type { CreateInvitationBody } from '../../sdk/index.ts';
import { Dialog, DialogForm } from '../parts/dialog.tsx';
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
  const { workspaceId } = useTenant();
  const [email, setEmail] = useState('');
  const [studioRole, setStudioRole] = useState<StudioRole>('viewer');
  const [consoleRole, setConsoleRole] = useState<ConsoleRole>('agent');
  const invite = async (): Promise<void> => {
    await skein.invitations.create(workspaceId, { email: email.trim(), studioRole, consoleRole });
    onInvited();
    onClose();
  };
  return (
    <Dialog title={texts.invite} onClose={onClose}>
      <DialogForm action={texts.sendInvitation} isReady={email.trim() !== ''} run={invite}>
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
      </DialogForm>
    </Dialog>
  );
}
