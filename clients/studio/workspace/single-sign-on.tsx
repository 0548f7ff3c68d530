/** The identity provider of the workspace, and the domains whose addresses sign in by it: for owners and admins. */
import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { skein } from '../../kit/browser-session.ts';
import type { SingleSignOn as Settings } from '../../sdk/index.ts';
import { Confirm } from '../parts/confirm.tsx';
import { getChangedFields } from '../parts/changed-fields.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { useWriting } from '../parts/use-writing.ts';
import { useWorkspace } from '../shell/workspace.tsx';
import { texts as allTexts } from '../texts/workspace.ts';
import { Domains } from './sso-domains.tsx';

export const ssoKey = (workspaceId: string): readonly string[] => ['single-sign-on', workspaceId];

export function SingleSignOn() {
  const texts = allTexts.sso;
  const { workspaceId, mayAdminister } = useWorkspace();
  const { data: settings, error } = useQuery({
    queryKey: ssoKey(workspaceId),
    queryFn: () => skein.singleSignOn.get(workspaceId),
    enabled: mayAdminister,
  });
  if (!mayAdminister) return <Text size="sm">{texts.forAdmins}</Text>;
  if (settings === undefined) return <ErrorNote error={error ?? undefined} />;
  return (
    <Stack gap="md">
      <Text size="sm">{texts.about}</Text>
      {/* Anew where it was set first, or removed. */}
      <Provider key={String(settings.issuer !== null)} settings={settings} />
      {settings.issuer !== null && <Domains settings={settings} />}
    </Stack>
  );
}

function Provider({ settings }: { readonly settings: Settings }) {
  const texts = allTexts.sso;
  const { workspaceId } = useWorkspace();
  const queries = useQueryClient();
  const { begun, written, change, save } = useWriting(toFields(settings), settings.updatedAt);
  const { issuer, clientId, clientSecret } = written;
  const [isRemoving, setRemoving] = useState(false);
  const isSet = settings.issuer !== null;
  const isOther = issuer.trim() !== begun.issuer;
  const form = useSubmit(async () => {
    // All of it is set at once: what was not written here stays as it is by now, perhaps a colleague's.
    const now = await skein.singleSignOn.get(workspaceId);
    const changes = getChangedFields(begun, written);
    const body = {
      issuer: (changes.issuer ?? now.issuer ?? issuer).trim(),
      clientId: (changes.clientId ?? now.clientId ?? clientId).trim(),
      ...(clientSecret !== '' && { clientSecret }),
    };
    const saved = await skein.singleSignOn.set(workspaceId, body);
    save(toFields(saved), saved.updatedAt);
    queries.setQueryData(ssoKey(workspaceId), saved);
  });
  const remove = async (): Promise<void> => {
    await skein.singleSignOn.remove(workspaceId);
    await queries.invalidateQueries({ queryKey: ssoKey(workspaceId) });
  };
  return (
    <form onSubmit={form.submit}>
      <Stack gap="sm" maw={520}>
        <TextInput
          label={texts.redirectUri}
          description={texts.redirectHint}
          readOnly
          value={settings.redirectUri}
        />
        <TextInput
          label={texts.issuer}
          description={texts.issuerHint}
          type="url"
          required
          value={issuer}
          onChange={event => change({ issuer: event.currentTarget.value })}
        />
        <TextInput
          label={texts.clientId}
          required
          autoComplete="off"
          value={clientId}
          onChange={event => change({ clientId: event.currentTarget.value })}
        />
        <PasswordInput
          label={texts.clientSecret}
          description={isSet && !isOther ? texts.secretStays : undefined}
          required={!isSet || isOther}
          autoComplete="off"
          value={clientSecret}
          onChange={event => change({ clientSecret: event.currentTarget.value })}
        />
        {isSet && isOther && <Text size="sm">{texts.otherIssuer}</Text>}
        <ErrorNote error={form.error} />
        <Group gap="xs">
          <Button
            type="submit"
            loading={form.isRunning}
            disabled={
              issuer.trim() === '' || clientId.trim() === '' || (clientSecret === '' && (!isSet || isOther))
            }
          >
            {texts.save}
          </Button>
          {isSet && (
            <Button variant="default" onClick={() => setRemoving(true)}>
              {texts.remove}
            </Button>
          )}
        </Group>
      </Stack>
      {isRemoving && (
        <Confirm title={texts.remove} action={texts.remove} run={remove} onClose={() => setRemoving(false)}>
          {texts.removeHint}
        </Confirm>
      )}
    </form>
  );
}

/** The secret is shown to nobody: what is typed is another one. */
const toFields = ({ issuer, clientId }: Settings) => ({
  issuer: issuer ?? '',
  clientId: clientId ?? '',
  clientSecret: '',
});
