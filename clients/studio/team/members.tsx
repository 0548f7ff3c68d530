/** The members of the workspace: their roles in Studio, and in the Console of this project. */
import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { skein } from '../../kit/browser-session.ts';
import type { ListedConsoleMember, WorkspaceMember } from '../../sdk/index.ts';
import { Confirm } from '../parts/confirm.tsx';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { Person } from '../parts/person.tsx';
import { RoleSelect } from '../parts/role-select.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { mostMembers } from './most-members.ts';

const consoleRoles = ['project_owner', 'agent', 'viewer'] as const;

export function Members() {
  const texts = useTexts().team;
  const { workspaceId, mayAdminister, me } = useTenant();
  const [removed, setRemoved] = useState<WorkspaceMember>();
  const { columns: known, refresh } = useMemberColumns();
  const columns = [...known];
  if (mayAdminister) {
    columns.push({
      key: 'actions',
      label: '',
      isFixed: true,
      align: 'right',
      show: member =>
        member.role !== 'owner' &&
        member.userId !== me.userId && (
          <Button
            size="compact-xs"
            variant="subtle"
            color="red.8"
            aria-label={texts.removeOne(member.email)}
            onClick={() => setRemoved(member)}
          >
            {texts.remove}
          </Button>
        ),
    });
  }
  return (
    <>
      <DataTable
        name="members"
        label={texts.title}
        queryKey={['members', workspaceId]}
        load={cursor => skein.members.list(workspaceId, { cursor, limit: 50 })}
        rowKey={({ userId }) => userId}
        columns={columns}
        empty={texts.none}
      />
      {removed !== undefined && (
        <Confirm
          title={texts.removeTitle(removed.displayName)}
          action={texts.remove}
          name={removed.email}
          run={async () => {
            await skein.members.remove(workspaceId, removed.userId);
            await refresh();
          }}
          onClose={() => setRemoved(undefined)}
        >
          {texts.removeHint}
        </Confirm>
      )}
    </>
  );
}

/** What is known of a member, with their roles, which are changed where they are shown. */
function useMemberColumns(): {
  readonly columns: readonly Column<WorkspaceMember>[];
  readonly refresh: () => Promise<void>;
} {
  const texts = useTexts().team;
  const { client, workspaceId, projectId, projectName, me, mayAdminister } = useTenant();
  const queries = useQueryClient();
  const consoleKey = ['console-members', projectId];
  const { data: consoleMembers } = useQuery({
    queryKey: consoleKey,
    queryFn: () => client.console.listMembers({ limit: 100 }).toArray(mostMembers),
  });
  const refresh = async (): Promise<void> => {
    await queries.invalidateQueries({ queryKey: ['members', workspaceId] });
    await queries.invalidateQueries({ queryKey: consoleKey });
  };
  const findConsoleRole = (userId: string): ListedConsoleMember['role'] | undefined =>
    consoleMembers?.find(each => each.userId === userId)?.role;
  const columns: Column<WorkspaceMember>[] = [
    {
      key: 'name',
      label: texts.name,
      isFixed: true,
      show: member => <Person {...member} note={member.userId === me.userId ? texts.you : undefined} />,
    },
    { key: 'email', label: texts.email, show: ({ email }) => <bdi>{email}</bdi> },
    {
      key: 'studio',
      label: texts.studioRole,
      show: ({ userId, email, role }) => (
        <RoleSelect
          label={texts.studioRoleOf(email)}
          // Nobody shuts themselves out.
          isFixed={!mayAdminister || role === 'owner' || userId === me.userId}
          role={role}
          roles={['admin', 'viewer']}
          labels={texts.studioRoles}
          onChange={async chosen => {
            await skein.members.update(workspaceId, userId, { role: chosen });
            await refresh();
          }}
        />
      ),
    },
    {
      key: 'console',
      label: texts.consoleRole(projectName),
      show: ({ userId, email }) => (
        <RoleSelect
          label={texts.consoleRoleOf(email)}
          isFixed={!mayAdminister || consoleMembers === undefined}
          role={findConsoleRole(userId)}
          roles={consoleRoles}
          labels={texts.consoleRoles}
          none={texts.noConsoleRole}
          onChange={async chosen => {
            await client.console.upsertMember({ userId, role: chosen });
            await refresh();
          }}
          onNone={async () => {
            await client.console.removeMember(userId);
            await refresh();
          }}
        />
      ),
    },
    { key: 'since', label: texts.since, show: ({ createdAt }) => <Time at={createdAt} />, isExtra: true },
  ];
  return { columns, refresh };
}
