/** The members of the workspace: their roles in Studio, in this project, and in its Console. */
import { Alert, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { skein } from '../../kit/browser-session.ts';
import type { ApiKey, ListedConsoleMember, WorkspaceMember } from '../../sdk/index.ts';
import { Confirm } from '../parts/confirm.tsx';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { Person } from '../parts/person.tsx';
import { RoleSelect } from '../parts/role-select.tsx';
import { RowMenu } from '../parts/row-menu.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { mostMembers } from './most-members.ts';
import { Transfer } from './ownership.tsx';
import { ProjectRole } from './project-role.tsx';

const consoleRoles = ['project_owner', 'agent', 'viewer'] as const;

export function Members() {
  const texts = useTexts().team;
  const { workspaceId, mayAdminister, me } = useTenant();
  const [removed, setRemoved] = useState<WorkspaceMember>();
  const [heir, setHeir] = useState<WorkspaceMember>();
  /** Keys of a member who was removed. */
  const [staying, setStaying] = useState<{ readonly email: string; readonly apiKeys: readonly ApiKey[] }>();
  const { columns: known, refresh, isOwner } = useMemberColumns();
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
          <RowMenu
            label={texts.actions(member.email)}
            acts={[
              ...(isOwner ? [{ label: texts.makeOwner, onChoose: () => setHeir(member) }] : []),
              { label: texts.remove, isDanger: true, onChoose: () => setRemoved(member) },
            ]}
          />
        ),
    });
  }
  return (
    <>
      {staying !== undefined && (
        <Alert color="yellow" withCloseButton onClose={() => setStaying(undefined)}>
          {texts.keysStay(staying.email)}
          <ul>
            {staying.apiKeys.map(({ apiKeyId, name, keyPrefix }) => (
              <li key={apiKeyId}>
                <bdi>{name}</bdi> ({keyPrefix}…)
              </li>
            ))}
          </ul>
        </Alert>
      )}
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
            const { apiKeys } = await skein.members.remove(workspaceId, removed.userId);
            setStaying(apiKeys.length === 0 ? undefined : { email: removed.email, apiKeys });
            await refresh();
          }}
          onClose={() => setRemoved(undefined)}
        >
          {texts.removeHint}
        </Confirm>
      )}
      {heir !== undefined && <Transfer member={heir} onClose={() => setHeir(undefined)} />}
    </>
  );
}

/** What is known of a member, with their roles, which are changed where they are shown. */
function useMemberColumns(): {
  readonly columns: readonly Column<WorkspaceMember>[];
  readonly refresh: () => Promise<void>;
  /** Of who looks at them: whether the workspace is theirs. */
  readonly isOwner: boolean;
} {
  const texts = useTexts().team;
  const { client, workspaceId, projectId, projectName, me, mayAdminister } = useTenant();
  const queries = useQueryClient();
  const consoleKey = ['console-members', projectId];
  const { data: consoleMembers } = useQuery({
    queryKey: consoleKey,
    queryFn: () => client.console.listMembers({ limit: 100 }).toArray(mostMembers),
  });
  const { data: own } = useQuery({
    queryKey: ['members', workspaceId, me.userId],
    queryFn: () => skein.members.get(workspaceId, me.userId),
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
      show: member => (
        <>
          <Person {...member} note={member.userId === me.userId ? texts.you : undefined} />
          <Text size="xs" c="dimmed">
            <bdi>{member.email}</bdi>
          </Text>
        </>
      ),
    },
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
      key: 'project',
      label: texts.projectRole(projectName),
      show: member => <ProjectRole member={member} onChanged={refresh} />,
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
  return { columns, refresh, isOwner: own?.role === 'owner' };
}
