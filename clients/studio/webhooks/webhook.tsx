/** One webhook: its state, a test, a new secret, and what became of each of its deliveries. */
import { Button, Group, Modal } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { PageLink } from '../../kit/account/account-page.tsx';
import { useState } from 'react';
import { useKitTexts } from '../../kit/texts/index.ts';
import type { Stitch } from '../../sdk/index.ts';
import { useAction } from '../../kit/use-action.ts';
import { Confirm } from '../parts/confirm.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { Facts } from '../parts/facts.tsx';
import { Page, Section } from '../parts/page.tsx';
import { Copyable, Secret } from '../parts/secret.tsx';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { Deliveries } from './deliveries.tsx';

export function WebhookPage() {
  const texts = useTexts().webhooks;
  const { loading } = useKitTexts().shell;
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
    return (
      <Page title={error === null ? loading : texts.missing} back={back}>
        {error !== null && <ErrorNote error={error} />}
      </Page>
    );
  }
  const { name, webhookUrl, status, eventNames, createdAt } = stitch;
  return (
    <Page title={name} back={back} about={webhookUrl} actions={mayWrite && <Actions stitch={stitch} />}>
      <Facts
        facts={[
          [texts.status, <State key="status" of={status} label={texts.states[status]} />],
          [texts.events, eventNames.length === 0 ? texts.picker.all : eventNames.join(', ')],
          [texts.created, <Time key="created" at={createdAt} />],
          ['ID', <Copyable key="id" label={texts.copyId} text={stitchId} />],
        ]}
      />
      <Section title={texts.deliveries.title}>
        <Deliveries stitchId={stitchId} />
      </Section>
    </Page>
  );
}

type Opened = 'rotate' | 'archive' | { readonly secret: string };

function Actions({ stitch }: { readonly stitch: Stitch }) {
  const texts = useTexts().webhooks;
  const { close } = useKitTexts().shell;
  const { client, environmentId } = useTenant();
  const queries = useQueryClient();
  const action = useAction();
  const [opened, setOpened] = useState<Opened>();
  const { stitchId, name, status } = stitch;
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: ['webhooks', environmentId] });
  const test = (): Promise<boolean> =>
    action.run(async () => {
      await client.stitches.test(stitchId);
      await queries.invalidateQueries({ queryKey: ['deliveries', stitchId] });
    });
  const toggle = (): Promise<boolean> =>
    action.run(async () => {
      await client.stitches.update(stitchId, { status: status === 'disabled' ? 'active' : 'disabled' });
      await refresh();
    });
  return (
    <>
      <Group gap="xs">
        <Button onClick={() => void test()} loading={action.isRunning}>
          {texts.test}
        </Button>
        <Button variant="default" onClick={() => setOpened('rotate')}>
          {texts.rotate}
        </Button>
        <Button variant="default" onClick={() => void toggle()}>
          {status === 'disabled' ? texts.enable : texts.disable}
        </Button>
        <Button variant="default" color="red" onClick={() => setOpened('archive')}>
          {texts.archive}
        </Button>
      </Group>
      {action.problem !== undefined && <ErrorNote error={new Error(action.problem)} />}
      {opened === 'rotate' && (
        <Confirm
          title={texts.rotate}
          action={texts.rotate}
          run={async () => {
            const { secret } = await client.stitches.rotateSecret(stitchId);
            // After the dialog has closed itself.
            setTimeout(() => setOpened({ secret }));
          }}
          onClose={() => setOpened(undefined)}
        >
          {texts.rotateHint}
        </Confirm>
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
      {typeof opened === 'object' && (
        <Modal
          opened
          size="lg"
          closeOnClickOutside={false}
          onClose={() => setOpened(undefined)}
          title={name}
          closeButtonProps={{ 'aria-label': close }}
        >
          <Secret about={texts.secretOnce} secret={opened.secret} />
        </Modal>
      )}
    </>
  );
}
