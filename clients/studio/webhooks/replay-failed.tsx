/** Delivers again what has failed for good, of all webhooks of the environment, and says what became of that at each. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { PageLink } from '../../kit/account/account-page.tsx';
import type { FailedReplay } from '../../sdk/index.ts';
import { Dialog, DialogForm } from '../parts/dialog.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { ReplayRangeFields, useReplayRange } from './replay-range.tsx';
import { useWebhooks } from './use-webhooks.ts';

export function ReplayFailed() {
  const texts = useTexts().webhooks.replays;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {texts.openAll}
      </Button>
      {isOpen && <ReplayFailedDialog onClose={() => setOpen(false)} />}
    </>
  );
}

function ReplayFailedDialog({ onClose }: { readonly onClose: () => void }) {
  const texts = useTexts().webhooks.replays;
  const { client } = useTenant();
  const queries = useQueryClient();
  const { range, fields } = useReplayRange();
  const [found, setFound] = useState<readonly FailedReplay[]>();
  const run = async (): Promise<void> => {
    const { stitches } = await client.deliveries.replayFailed(range);
    setFound(stitches);
    await queries.invalidateQueries({ queryKey: ['stitch-stats'] });
  };
  return (
    <Dialog title={texts.openAll} onClose={onClose}>
      {found === undefined ? (
        <DialogForm action={texts.start} run={run}>
          <Text size="sm">{texts.allHint}</Text>
          <ReplayRangeFields label={texts.sinceAny} {...fields} />
        </DialogForm>
      ) : (
        <Stack gap="md">
          <div role="status">
            <Found replays={found} />
          </div>
          <Group justify="flex-end">
            <Button onClick={onClose}>{texts.close}</Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  );
}

function Found({ replays }: { readonly replays: readonly FailedReplay[] }) {
  const texts = useTexts().webhooks.replays;
  const { projectId, environmentId } = useTenant();
  const webhooks = useWebhooks();
  if (replays.length === 0) return <Alert>{texts.nothingFailed}</Alert>;
  return (
    <ul style={{ margin: 0, paddingInlineStart: 18 }}>
      {replays.map(({ stitchId, error }) => (
        <li key={stitchId}>
          <PageLink
            to="/$projectId/$environmentId/webhooks/$stitchId"
            params={{ projectId, environmentId, stitchId }}
            search={{}}
          >
            <bdi>{webhooks.find(each => each.stitchId === stitchId)?.name ?? stitchId}</bdi>
          </PageLink>
          {': '}
          {error === null ? texts.begun : texts.refused(error.message)}
        </li>
      ))}
    </ul>
  );
}
