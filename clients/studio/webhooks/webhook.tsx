/** One webhook: its state and health, a test, replays, a new secret, and what became of each of its deliveries. */
import { Button, Group } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { PageLink } from '../../kit/account/account-page.tsx';
import { useState } from 'react';
import type { Stitch } from '../../sdk/index.ts';
import { useAction } from '../../kit/use-action.ts';
import { Confirm } from '../parts/confirm.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { Facts } from '../parts/facts.tsx';
import { Page, Section } from '../parts/page.tsx';
import { PagePending } from '../parts/page-pending.tsx';
import { Restore } from '../parts/restore.tsx';
import { Copyable } from '../parts/secret.tsx';
import { RotateSecret } from '../parts/rotate-secret.tsx';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { ArchivedNotice } from '../shell/archived-notice.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { Deliveries } from './deliveries.tsx';
import { EditWebhook } from './edit-webhook.tsx';
import { Health } from './health.tsx';
import { ReplayWebhook } from './replay-webhook.tsx';

export function WebhookPage() {
  const texts = useTexts().webhooks;
  const { stitchId } = useParams({ from: '/signed-in/$projectId/$environmentId/webhooks/$stitchId' });
  const { client, projectId, environmentId, mayWrite } = useTenant();
  const { data: stitch, error } = useQuery({
    queryKey: ['webhooks', environmentId, stitchId],
    queryFn: () => client.stitches.get(stitchId),
    refetchInterval: 5_000,
  });
  const back = (
    <PageLink to="/$projectId/$environmentId/webhooks" params={{ projectId, environmentId }}>
      {texts.title}
    </PageLink>
  );
  if (stitch === undefined) {
    return <PagePending back={back} error={error} missing={texts.missing} />;
  }
  const { name, webhookUrl, status, eventNames, createdAt, archivedAt } = stitch;
  return (
    <Page title={name} back={back} about={webhookUrl} actions={mayWrite && <Actions stitch={stitch} />}>
      {archivedAt != null && <ArchivedNotice text={texts.archived} />}
      <Facts
        facts={[
          [texts.status, <State key="status" of={status} label={texts.states[status]} />],
          [texts.events, eventNames.length === 0 ? texts.picker.all : eventNames.join(', ')],
          [texts.created, <Time key="created" at={createdAt} />],
          ['ID', <Copyable key="id" label={texts.copyId} text={stitchId} />],
        ]}
      />
      <Health stitchId={stitchId} />
      <Section title={texts.deliveries.title}>
        <Deliveries stitchId={stitchId} />
      </Section>
    </Page>
  );
}

type Opened = 'edit' | 'replay' | 'rotate' | 'disable' | 'archive';

function Actions({ stitch }: { readonly stitch: Stitch }) {
  const texts = useTexts().webhooks;
  const { client, environmentId } = useTenant();
  const queries = useQueryClient();
  const action = useAction();
  const [opened, setOpened] = useState<Opened>();
  const { stitchId, name, status, archivedAt } = stitch;
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: ['webhooks', environmentId] });
  const test = async (): Promise<void> => {
    await client.stitches.test(stitchId);
    await queries.invalidateQueries({ queryKey: ['deliveries', stitchId] });
  };
  const setStatus = async (next: 'active' | 'disabled'): Promise<void> => {
    await client.stitches.update(stitchId, { status: next });
    await refresh();
  };
  const restore = async (): Promise<void> => {
    await client.stitches.update(stitchId, { archived: false });
    await refresh();
  };
  if (archivedAt != null) return <Restore label={texts.restore} run={restore} />;
  return (
    <>
      <Group gap="xs">
        <Button onClick={() => void action.run(test)} loading={action.isRunning}>
          {texts.test}
        </Button>
        <Button variant="default" onClick={() => setOpened('replay')}>
          {texts.replays.open}
        </Button>
        <Button variant="default" onClick={() => setOpened('rotate')}>
          {texts.rotate}
        </Button>
        <Button variant="default" onClick={() => setOpened('edit')}>
          {texts.edit}
        </Button>
        <Button
          variant="default"
          onClick={() =>
            status === 'disabled' ? void action.run(() => setStatus('active')) : setOpened('disable')
          }
        >
          {status === 'disabled' ? texts.enable : texts.disable}
        </Button>
        <Button variant="default" color="red" onClick={() => setOpened('archive')}>
          {texts.archive}
        </Button>
      </Group>
      <ErrorNote error={action.error} />
      {opened === 'rotate' && (
        <RotateSecret
          title={texts.rotate}
          hint={texts.rotateHint}
          about={texts.secretOnce}
          rotate={gracePeriodSeconds => client.stitches.rotateSecret(stitchId, { gracePeriodSeconds })}
          onRotated={() => void refresh()}
          onClose={() => setOpened(undefined)}
        />
      )}
      {opened === 'replay' && <ReplayWebhook stitch={stitch} onClose={() => setOpened(undefined)} />}
      {opened === 'disable' && (
        <Confirm
          title={texts.disableTitle(name)}
          action={texts.disable}
          run={() => setStatus('disabled')}
          onClose={() => setOpened(undefined)}
        >
          {texts.disableHint}
        </Confirm>
      )}
      {opened === 'edit' && (
        <EditWebhook stitch={stitch} onSaved={refresh} onClose={() => setOpened(undefined)} />
      )}
      {opened === 'archive' && (
        <Confirm
          title={texts.archiveTitle(name)}
          action={texts.archive}
          name={name}
          run={async () => {
            await client.stitches.archive(stitchId);
            await refresh();
          }}
          onClose={() => setOpened(undefined)}
        >
          {texts.archiveHint}
        </Confirm>
      )}
    </>
  );
}
