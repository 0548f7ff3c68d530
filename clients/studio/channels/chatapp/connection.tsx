/** How the channel is connected: by which number, account and app, until when, and what went wrong. */
import { Button, Group, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { PageLink } from '../../../kit/account/account-page.tsx';
import { useFormats } from '../../../kit/use-formats.ts';
import { useMinute } from '../../../kit/use-now.ts';
import type { Channel, ChatappStatus } from '../../../sdk/index.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Section } from '../../parts/page.tsx';
import { Copyable } from '../../parts/secret.tsx';
import { State } from '../../parts/state.tsx';
import { Time } from '../../parts/time.tsx';
import { useTenant } from '../../shell/tenant.tsx';
import { texts } from '../../texts/chatapp.ts';
import classes from './chatapp.module.css';
import { ConnectDialog } from './connect-dialog.tsx';
import { ConnectionFailure } from './connect-problem.tsx';
import { findTokenState, type TokenState } from './token-state.ts';
import { useChatappStatus } from './use-chatapp-status.ts';
import { usePartnerApps } from './use-partner-apps.ts';

export function Connection({ channel }: { readonly channel: Channel }) {
  const { channelId, name } = channel;
  const { client, environmentId, mayWrite } = useTenant();
  const queries = useQueryClient();
  const { data: status, error } = useChatappStatus(channelId);
  const [opened, setOpened] = useState<'connect' | 'disconnect'>();
  const close = (): void => setOpened(undefined);
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: ['channels', environmentId] });
  if (status === undefined) {
    return (
      <Section title={texts.connection}>
        <ErrorNote error={error} />
      </Section>
    );
  }
  const is = status.status;
  const isConnected = status.wabaId !== null;
  const connect = mayWrite && (is === 'disconnected' || is === 'error') && (
    <Button onClick={() => setOpened('connect')}>
      {is === 'error' ? texts.connectAgain : texts.connect}
    </Button>
  );
  return (
    <Section
      title={texts.connection}
      actions={
        <>
          {isConnected && connect}
          {mayWrite && is !== 'disconnected' && (
            <Button variant="default" color="red" onClick={() => setOpened('disconnect')}>
              {texts.disconnect}
            </Button>
          )}
        </>
      }
    >
      {is === 'connecting' && (
        <Text size="sm" role="status" mb="sm">
          {texts.connecting}
        </Text>
      )}
      {status.error !== null && <ConnectionFailure failure={status.error} />}
      {isConnected ? (
        <ConnectionFacts status={status} />
      ) : (
        is !== 'connecting' && (
          <div className={classes['empty']}>
            <b>{texts.notConnected}</b>
            {mayWrite ? texts.notConnectedHint : texts.viewerHint}
            {connect}
          </div>
        )
      )}
      {opened === 'connect' && <ConnectDialog channel={channel} onDone={refresh} onClose={close} />}
      {opened === 'disconnect' && (
        <Confirm
          title={texts.disconnectTitle(name)}
          action={texts.disconnect}
          name={name}
          run={async () => {
            await client.chatapp.disconnect(channelId);
            await refresh();
          }}
          onClose={close}
        >
          {texts.disconnectHint}
        </Confirm>
      )}
    </Section>
  );
}

function ConnectionFacts({ status }: { readonly status: ChatappStatus }) {
  return (
    <>
      <Facts
        facts={[
          [texts.number, <bdi key="number">{status.displayPhoneNumber ?? '–'}</bdi>],
          [texts.verifiedName, <bdi key="name">{status.verifiedName ?? '–'}</bdi>],
          [texts.token.label, <Token key="token" status={status} />],
          [texts.app, <App key="app" partnerAppCredentialId={status.partnerAppCredentialId} />],
          [texts.account, status.wabaId ?? '–'],
          [texts.numberId, status.phoneNumberId ?? '–'],
          [texts.connectedAt, <Time key="at" at={status.connectedAt} />],
          [
            texts.webhookUrl,
            <div key="url">
              <Copyable label={texts.copyWebhookUrl} text={status.webhookUrl} />
              <Text size="xs" c="dimmed">
                {texts.webhookHint}
              </Text>
            </div>,
          ],
        ]}
      />
    </>
  );
}

const tokenColors = {
  lasting: 'active',
  good: 'active',
  ending: 'retrying',
  ended: 'error',
  refused: 'error',
} as const satisfies Record<TokenState, string>;

function Token({ status }: { readonly status: ChatappStatus }) {
  const now = useMinute();
  const formats = useFormats();
  const state = findTokenState(status, now);
  if (state === undefined) return '–';
  const { tokenExpiresAt } = status;
  const advice = { ending: texts.token.endingAdvice, ended: texts.token.endedAdvice };
  return (
    <div>
      <Group gap={6}>
        <State of={tokenColors[state]} label={texts.token[state]} />
        {tokenExpiresAt !== null && (
          <span title={formats.dateTime(tokenExpiresAt)}>
            {state === 'ending'
              ? texts.token.in(formats.duration(Date.parse(tokenExpiresAt) - now))
              : texts.token.until(formats.dateAndTime(tokenExpiresAt))}
          </span>
        )}
      </Group>
      {state in advice && (
        <Text size="xs" c="dimmed" maw={360}>
          {advice[state as keyof typeof advice]}
        </Text>
      )}
    </div>
  );
}

function App({ partnerAppCredentialId }: { readonly partnerAppCredentialId: string | null }) {
  const { workspaceId } = useTenant();
  const { data: apps } = usePartnerApps(workspaceId);
  if (partnerAppCredentialId === null) return texts.ownApp;
  const app = apps?.find(each => each.partnerAppCredentialId === partnerAppCredentialId);
  return (
    <PageLink to="/workspace/$workspaceId/partner-apps" params={{ workspaceId }}>
      <bdi>{app?.name ?? (apps === undefined ? partnerAppCredentialId : texts.unknownApp)}</bdi>
    </PageLink>
  );
}
