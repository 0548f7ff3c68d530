/** Who is invited, and has not come yet. */
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { skein } from '../../kit/browser-session.ts';
import type { WorkspaceInvitation } from '../../sdk/index.ts';
import { Confirm } from '../parts/confirm.tsx';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';

export function Invitations() {
  const texts = useTexts().team;
  const { workspaceId } = useTenant();
  const queries = useQueryClient();
  const queryKey = ['invitations', workspaceId];
  const [revoked, setRevoked] = useState<WorkspaceInvitation>();
  const columns: Column<WorkspaceInvitation>[] = [
    { key: 'email', label: texts.email, isFixed: true, show: ({ email }) => <bdi>{email}</bdi> },
    { key: 'studio', label: texts.studioRole, show: ({ studioRole }) => texts.studioRoles[studioRole] },
    {
      key: 'console',
      label: texts.consoleRoleShort,
      show: ({ consoleRole }) => texts.consoleRoles[consoleRole],
    },
    { key: 'state', label: texts.state, show: invitation => texts.invitationStates[findState(invitation)] },
    { key: 'created', label: texts.invitedAt, show: ({ createdAt }) => <Time at={createdAt} /> },
    {
      key: 'actions',
      label: '',
      isFixed: true,
      align: 'right',
      show: invitation =>
        findState(invitation) === 'open' && (
          <Button
            size="compact-xs"
            variant="subtle"
            color="red.8"
            aria-label={texts.revokeOne(invitation.email)}
            onClick={() => setRevoked(invitation)}
          >
            {texts.revoke}
          </Button>
        ),
    },
  ];
  return (
    <>
      <DataTable
        name="invitations"
        label={texts.invitations}
        queryKey={queryKey}
        load={cursor => skein.invitations.list(workspaceId, { cursor, limit: 50 })}
        rowKey={({ invitationId }) => invitationId}
        columns={columns}
        empty={texts.noInvitations}
      />
      {revoked !== undefined && (
        <Confirm
          title={texts.revokeTitle(revoked.email)}
          action={texts.revoke}
          run={async () => {
            await skein.invitations.revoke(workspaceId, revoked.invitationId);
            await queries.invalidateQueries({ queryKey });
          }}
          onClose={() => setRevoked(undefined)}
        >
          {texts.revokeHint}
        </Confirm>
      )}
    </>
  );
}

type InvitationState = 'open' | 'accepted' | 'revoked' | 'expired';

function findState({ acceptedAt, revokedAt, expiresAt }: WorkspaceInvitation): InvitationState {
  if (acceptedAt != null) return 'accepted';
  if (revokedAt != null) return 'revoked';
  return Date.parse(expiresAt) < Date.now() ? 'expired' : 'open';
}
