/** Delivers again: what has failed for good, or everything of a time, which another webhook can get as well. */
import { Group, Radio, Select, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Stitch } from '../../sdk/index.ts';
import { Dialog, DialogForm } from '../parts/dialog.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { isStatus, statuses } from './delivery-statuses.ts';
import { statsKey } from './health.tsx';
import { type ReplayRange, ReplayRangeFields, useReplayRange } from './replay-range.tsx';
import { useWebhooks } from './use-webhooks.ts';
import { WebhookSelect } from './webhook-select.tsx';

interface ReplayWebhookProps {
  readonly stitch: Stitch;
  readonly onClose: () => void;
}

export function ReplayWebhook({ stitch: { stitchId, name }, onClose }: ReplayWebhookProps) {
  const { replays: texts, deliveries } = useTexts().webhooks;
  const webhooks = useWebhooks();
  const replay = useReplay(stitchId);
  const { range, fields } = useReplayRange();
  const [what, setWhat] = useState<'failed' | 'range'>('failed');
  const [status, setStatus] = useState<string | null>(null);
  const [target, setTarget] = useState(stitchId);
  const run = async (): Promise<void> => {
    if (what === 'failed') await replay.failed(range);
    else await replay.range({ ...range, status, target });
    onClose();
  };
  return (
    <Dialog title={texts.title(name)} onClose={onClose}>
      <DialogForm action={texts.start} isReady={what === 'failed' || range.since !== undefined} run={run}>
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
        <ReplayRangeFields label={texts.since} {...fields} />
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

interface WholeRange extends ReplayRange {
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
    async failed(range: ReplayRange): Promise<void> {
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
