/** The domains of single sign-on: the record that proves each, and whether its addresses have to sign in so. */
import { Badge, Button, Code, Group, Stack, Switch, Text, TextInput, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { skein } from '../../kit/browser-session.ts';
import { useAction } from '../../kit/use-action.ts';
import type { SingleSignOn, SsoDomain } from '../../sdk/index.ts';
import { Confirm } from '../parts/confirm.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { useWorkspace } from '../shell/workspace.tsx';
import { texts as allTexts } from '../texts/workspace.ts';

function useRefreshDomains(): () => Promise<void> {
  const { workspaceId } = useWorkspace();
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ['single-sign-on', workspaceId] });
}

export function Domains({ settings }: { readonly settings: SingleSignOn }) {
  const texts = allTexts.sso;
  const { workspaceId } = useWorkspace();
  const refresh = useRefreshDomains();
  const [domain, setDomain] = useState('');
  const form = useSubmit(async () => {
    await skein.singleSignOn.addDomain(workspaceId, { domain: domain.trim() });
    setDomain('');
    await refresh();
  });
  return (
    <Stack gap="md">
      <Title order={3} size="h4">
        {texts.domains}
      </Title>
      {settings.domains.map(each => (
        <Domain key={each.domain} domain={each} />
      ))}
      <form onSubmit={form.submit}>
        <Stack gap="sm" maw={520}>
          <TextInput
            label={texts.domain}
            description={texts.domainHint}
            required
            maxLength={253}
            value={domain}
            onChange={event => setDomain(event.currentTarget.value)}
          />
          <ErrorNote error={form.error} />
          <div>
            <Button type="submit" variant="default" loading={form.isRunning} disabled={domain.trim() === ''}>
              {texts.addDomain}
            </Button>
          </div>
        </Stack>
      </form>
    </Stack>
  );
}

function Domain({ domain: { domain, record, provenAt, required } }: { readonly domain: SsoDomain }) {
  const texts = allTexts.sso;
  const { workspaceId, isOwner, me } = useWorkspace();
  const refresh = useRefreshDomains();
  const { isRunning, error, run } = useAction();
  const [isRemoving, setRemoving] = useState(false);
  const [isWarned, setWarned] = useState(false);
  const act = (work: () => Promise<unknown>): void => {
    void run(async () => {
      await work();
      await refresh();
    });
  };
  const isProven = provenAt !== null;
  const isOwn = !isOwner && hasDomain(me.email, domain);
  const demand = (checked: boolean) =>
    skein.singleSignOn.updateDomain(workspaceId, domain, { required: checked });
  return (
    <Stack gap="xs" component="section" aria-label={domain}>
      <Group gap="xs">
        <Text fw={600}>{domain}</Text>
        <Badge color={isProven ? 'green' : 'gray'}>{isProven ? texts.proven : texts.notProven}</Badge>
      </Group>
      {!isProven && (
        <>
          <Text size="sm">{texts.proof}</Text>
          <Text size="sm">
            {texts.recordName} <Code>{record.name}</Code>
          </Text>
          <Text size="sm">
            {texts.recordValue} <Code>{record.value}</Code>
          </Text>
        </>
      )}
      {isProven && (
        <Switch
          label={texts.require}
          description={texts.requireHint}
          checked={required}
          disabled={isRunning}
          onChange={event => {
            const { checked } = event.currentTarget;
            if (checked && isOwn) setWarned(true);
            else act(() => demand(checked));
          }}
        />
      )}
      <ErrorNote error={error} />
      <Group gap="xs">
        {!isProven && (
          <Button
            variant="default"
            loading={isRunning}
            onClick={() => act(() => skein.singleSignOn.proveDomain(workspaceId, domain))}
          >
            {texts.prove}
          </Button>
        )}
        <Button
          variant="subtle"
          color="red.8"
          aria-label={texts.removeOne(domain)}
          onClick={() => setRemoving(true)}
        >
          {texts.removeDomain}
        </Button>
      </Group>
      {isWarned && (
        <Confirm
          title={texts.requireOf(domain)}
          action={texts.requireAction}
          run={async () => {
            await demand(true);
            await refresh();
          }}
          onClose={() => setWarned(false)}
        >
          {texts.requireOwn}
        </Confirm>
      )}
      {isRemoving && (
        <Confirm
          title={texts.removeOne(domain)}
          action={texts.removeDomain}
          run={async () => {
            await skein.singleSignOn.removeDomain(workspaceId, domain);
            await refresh();
          }}
          onClose={() => setRemoving(false)}
        >
          {texts.removeDomainHint}
        </Confirm>
      )}
    </Stack>
  );
}

/** Domains are kept as DNS has them: in lower case, and in punycode. */
function hasDomain(email: string, domain: string): boolean {
  const url = `http://${email.slice(email.lastIndexOf('@') + 1)}`;
  return URL.canParse(url) && new URL(url).hostname === domain;
}
