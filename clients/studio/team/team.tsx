/**
 * Who works in the workspace, what they may do in Studio, in this project and in its Console, how its conversations are given to them, and who
 * is invited.
 */
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { Page, Section } from '../parts/page.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { Assignment } from './assignment.tsx';
import { Invitations } from './invitations.tsx';
import { Invite } from './invite.tsx';
import { Members } from './members.tsx';
import { Leave } from './ownership.tsx';

export function Team() {
  const texts = useTexts().team;
  const { workspaceId, mayAdminister } = useTenant();
  const queries = useQueryClient();
  const [isInviting, setInviting] = useState(false);
  const actions = (
    <>
      <Leave />
      {mayAdminister && (
        <Button leftSection={<UserPlus size={14} />} onClick={() => setInviting(true)}>
          {texts.invite}
        </Button>
      )}
    </>
  );
  return (
    <Page title={texts.title} about={texts.about} actions={actions}>
      <Members />
      <Assignment />
      {mayAdminister && (
        <Section title={texts.invitations}>
          <Invitations />
        </Section>
      )}
      {isInviting && (
        <Invite
          onInvited={() => void queries.invalidateQueries({ queryKey: ['invitations', workspaceId] })}
          onClose={() => setInviting(false)}
        />
      )}
    </Page>
  );
}
