/** Leaves the workspace, and hands it over to somebody else: both are for who is signed in. */
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApp } from '../../kit/app-identity.ts';
import { skein } from '../../kit/browser-session.ts';
import type { WorkspaceMember } from '../../sdk/index.ts';
import { Confirm } from '../parts/confirm.tsx';
import { callerKey } from '../shell/caller.ts';
import { accessKey, useTenant } from '../shell/tenant.tsx';
import { workspaceKey } from '../shell/workspace.tsx';
import { useTexts } from '../texts/index.ts';

interface TransferProps {
  readonly member: WorkspaceMember;
  readonly onClose: () => void;
}

export function Transfer({ member: { userId, email, displayName }, onClose }: TransferProps) {
  const texts = useTexts().team;
  const { workspaceId, projectId } = useTenant();
  const queries = useQueryClient();
  return (
    <Confirm
      title={texts.makeOwnerTitle(displayName)}
      action={texts.makeOwner}
      name={email}
      run={async () => {
        await skein.workspaces.transferOwnership(workspaceId, { userId });
        const changed = [
          ['members', workspaceId],
          callerKey,
          workspaceKey(workspaceId),
          accessKey(projectId),
        ];
        await Promise.all(changed.map(queryKey => queries.invalidateQueries({ queryKey })));
      }}
      onClose={onClose}
    >
      {texts.makeOwnerHint}
    </Confirm>
  );
}

/** An owner hands the workspace over first, if there is no other one: the server says so. */
export function Leave() {
  const texts = useTexts().team;
  const { workspaceId, me } = useTenant();
  const { path } = useApp();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {texts.leave}
      </Button>
      {isOpen && (
        <Confirm
          title={texts.leaveTitle}
          action={texts.leave}
          name={me.email}
          run={async () => {
            await skein.members.remove(workspaceId, me.userId);
            // Loaded anew: nothing of the workspace stays in memory.
            location.assign(path);
          }}
          onClose={() => setOpen(false)}
        >
          {texts.leaveHint}
        </Confirm>
      )}
    </>
  );
}
