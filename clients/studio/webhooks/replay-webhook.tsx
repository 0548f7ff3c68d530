/** Delivers again: what has failed for good, or everything of a time, which another webhook can get as well. */
import { Group, Radio, Select, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTimeZone } from '../../kit/people/use-profile.ts';
import type { Stitch } from '../../sdk/index.ts';
import { dayMs } from '../parts/days.ts';
import { Dialog, DialogForm } from '../parts/dialog.tsx';
import { toInstant, toLocalTime } from '../parts/local-time.ts';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { isStatus, statuses } from './delivery-statuses.ts';
import { statsKey } from './health.tsx';
import { useWebhooks } from './use-webhooks.ts';
import { WebhookSelect } from './webhook-select.tsx';

interface ReplayWebhookProps {
  readonly stitch: Stitch;
  readonly onClose: () => void;
}

export function ReplayWebhook({ stitch: { stitchId, name }, onClose }: ReplayWebhookProps) {
  const { replays: texts, deliveries } = useTexts().webhooks;
  const webhooks = useWebhooks();
  const timeZone = useTimeZone();
  const replay = useReplay(stitchId);
  const [openedAt] = useState(Date.now);
  const [what, setWhat] = useState<'failed' | 'range'>('failed');
  const [since, setSince] = useState(() => toLocalTime(new Date(openedAt - dayMs).toISOString(), timeZone));
  const [until, setUntil] = useState('');
  const [status, setStatus] = useState<string | null>(null);
  const [target, setTarget] = useState(stitchId);
  const from = toInstant(since, timeZone);
  const run = async (): Promise<void> => {
    const range = { since: from, until: toInstant(until, timeZone) };
    if (what === 'failed') await replay.failed(range);
    else await replay.range({ ...range, status, target });
    onClose();
  };
  return (
    <Dialog title={texts.title(name)} isKept onClose={onClose}>
      <DialogForm action={texts.start} isReady={what === 'failed' || from !== undefined} run={run}>
        <Radio.Group
          aria-label={texts.what}
          value={what}
          onChange={value => setWhat(value === 'range' ? 'range' : 'failed')}
        >
          <Stack gap={8}>
            <Radio value="failed" label={texts.failed} description={texts.failedHint} />
            <Radio value="range" label={texts.range} description={texts.rangeHint} />
          </Stack>
        </Radio.Group>
        <Group grow>
          <TextInput
            type="datetime-local"
            label={texts.since}
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
        {what === 'range' && (
          <Group grow>
            <Select
              label={deliveries.status}
              placeholder={deliveries.anyStatus}
              clearable
              value={status}
              onChange={setStatus}
              data={statuses.map(value => ({ value, label: deliveries.states[value] }))}
            />
            <WebhookSelect
              label={deliveries.replayTo}
              webhooks={webhooks}
              value={target}
              onChange={setTarget}
            />
          </Group>
        )}
      </DialogForm>
    </Dialog>
  );
}

interface Range {
  readonly since: string | undefined;
  readonly until: string | undefined;
}

interface WholeRange extends Range {
  readonly status: string | null;
  readonly target: string;
}

function useReplay(stitchId: string) {
  const { client, projectId, environmentId } = useTenant();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const refresh = async (of: string): Promise<void> => {
    await queries.invalidateQueries({ queryKey: statsKey(of) });
    await queries.invalidateQueries({ queryKey: ['deliveries', of] });
  };
  return {
    async failed(range: Range): Promise<void> {
      const { stitches } = await client.deliveries.replayFailed({ stitchId, ...range });
      for (const { error } of stitches) if (error !== null) throw new Error(error.message);
      await refresh(stitchId);
    },
    /** Leads to the webhook that gets it. */
    async range({ since, until, status, target }: WholeRange): Promise<void> {
      if (since === undefined) return;
      const statusesWanted = isStatus(status) ? [status] : undefined;
      const isOther = target !== stitchId;
      await client.stitches.replay(stitchId, {
        since,
        until,
        statuses: statusesWanted,
        ...(isOther && { targetStitchId: target }),
      });
      await refresh(target);
      if (!isOther) return;
      const params = { projectId, environmentId, stitchId: target };
      await navigate({ to: '/$projectId/$environmentId/webhooks/$stitchId', params, search: {} });
    },
  };
}
