/** The identity provider of the workspace, and the domains whose addresses sign in by it: for owners and admins. */
import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { skein } from '../../kit/browser-session.ts';
import type { SingleSignOn as Settings } from '../../sdk/index.ts';
import { Confirm } from '../parts/confirm.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { useSubmit } from '../parts/use-submit.ts';
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
      {/* Anew with what was set. */}
      <Provider key={settings.updatedAt} settings={settings} />
      {settings.issuer !== null && <Domains settings={settings} />}
    </Stack>
  );
}

function Provider({ settings }: { readonly settings: Settings }) {
  const texts = allTexts.sso;
  const { workspaceId } = useWorkspace();
  const queries = useQueryClient();
  const [issuer, setIssuer] = useState(settings.issuer ?? '');
  const [clientId, setClientId] = useState(settings.clientId ?? '');
  const [clientSecret, setClientSecret] = useState('');
  const [isRemoving, setRemoving] = useState(false);
  const isSet = settings.issuer !== null;
  const isOther = issuer.trim() !== settings.issuer;
  const form = useSubmit(async () => {
    const body = {
      issuer: issuer.trim(),
      clientId: clientId.trim(),
      ...(clientSecret !== '' && { clientSecret }),
    };
    queries.setQueryData(ssoKey(workspaceId), await skein.singleSignOn.set(workspaceId, body));
    setClientSecret('');
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
          onChange={event => setIssuer(event.currentTarget.value)}
        />
        <TextInput
          label={texts.clientId}
          required
          autoComplete="off"
          value={clientId}
          onChange={event => setClientId(event.currentTarget.value)}
        />
        <PasswordInput
          label={texts.clientSecret}
          description={isSet && !isOther ? texts.secretStays : undefined}
          required={!isSet || isOther}
          autoComplete="off"
          value={clientSecret}
          onChange={event => setClientSecret(event.currentTarget.value)}
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
