/** Delivers again what has failed for good, of all webhooks of the environment, and says what became of that at each. */
import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { PageLink } from '../../kit/account/account-page.tsx';
import { useTimeZone } from '../../kit/people/use-profile.ts';
import type { FailedReplay } from '../../sdk/index.ts';
import { dayMs } from '../parts/days.ts';
import { Dialog, DialogForm } from '../parts/dialog.tsx';
import { toInstant, toLocalTime } from '../parts/local-time.ts';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
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
  const timeZone = useTimeZone();
  const [openedAt] = useState(Date.now);
  const [since, setSince] = useState(() => toLocalTime(new Date(openedAt - dayMs).toISOString(), timeZone));
  const [until, setUntil] = useState('');
  const [found, setFound] = useState<readonly FailedReplay[]>();
  const run = async (): Promise<void> => {
    const range = { since: toInstant(since, timeZone), until: toInstant(until, timeZone) };
    const { stitches } = await client.deliveries.replayFailed(range);
    setFound(stitches);
    await queries.invalidateQueries({ queryKey: ['stitch-stats'] });
  };
  return (
    <Dialog title={texts.openAll} isKept onClose={onClose}>
      {found === undefined ? (
        <DialogForm action={texts.start} run={run}>
          <Text size="sm">{texts.allHint}</Text>
          <Group grow>
            <TextInput
              type="datetime-local"
              label={texts.sinceAny}
              value={since}
              onChange={event => setSince(event.currentTarget.value)}
            />
            <TextInput
              type="datetime-local"
              label={texts.until}
              value={until}
              onChange={event => setUntil(event.currentTarget.value)}
            />
          </Group>
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
