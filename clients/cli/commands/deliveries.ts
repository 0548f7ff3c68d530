/** `skein deliveries`: what became of each webhook. */
import { setTimeout as pause } from 'node:timers/promises';
import type { DeliveryAttempt, ListDeliveriesQuery, Skein, WebhookDelivery } from '../../sdk/index.ts';
import { deliveryColumns } from '../columns.ts';
import { defineAsk, defineCommand, defineList, option, type Family } from '../command.ts';
import { parseSince } from '../durations.ts';
import { exitCodes, SilentExit } from '../failures.ts';

type DeliveryFilters = Pick<ListDeliveriesQuery, 'stitchId' | 'status' | 'eventId' | 'eventName' | 'since'>;

interface ReplayOptions {
  readonly to?: string;
  readonly wait?: boolean;
}

const statuses = ['pending', 'delivering', 'delivered', 'retrying', 'failed', 'cancelled'] as const;
/** After these nothing happens by itself any more. */
const ends: ReadonlySet<string> = new Set(['delivered', 'failed', 'cancelled']);

export const deliveries: Family = {
  name: 'deliveries',
  description: 'webhook deliveries: list, show, replay',
  commands: [
    defineList<WebhookDelivery, DeliveryFilters>({
      usage: 'list',
      description: 'deliveries, the newest first',
      options: [
        option('--stitch-id <id>', 'of this stitch'),
        option('--status <status>', 'in this state', { choices: statuses }),
        option('--event-id <id>', 'of this event'),
        option('--event-name <name>', 'of events of this name'),
        option('--since <when>', 'made since then: 10m, 2h, or an instant', { parse: parseSince }),
      ],
      columns: deliveryColumns,
      list: (skein, _args, { stitchId, status, eventId, eventName, since }) =>
        skein.deliveries.list({ stitchId, status, eventId, eventName, since }),
    }),
    defineAsk({
      usage: 'show <deliveryId>',
      description: 'one delivery',
      ask: (skein, [deliveryId = '']) => skein.deliveries.get(deliveryId),
    }),
    defineList<DeliveryAttempt>({
      usage: 'attempts <deliveryId>',
      description: 'each try, with its answer',
      columns: [
        { title: '#', value: attempt => attempt.number },
        { title: 'AT', value: attempt => attempt.attemptedAt },
        { title: 'ANSWER', value: attempt => attempt.responseStatus },
        { title: 'MS', value: attempt => attempt.durationMs },
        { title: 'ERROR', value: attempt => attempt.error ?? attempt.errorClass, isFlexible: true },
        { title: 'NEXT', value: attempt => attempt.nextAttemptAt },
      ],
      list: (skein, [deliveryId = '']) => skein.deliveries.listAttempts(deliveryId),
    }),
    defineCommand<ReplayOptions>({
      usage: 'replay <deliveryId>',
      description: 'deliver it again',
      options: [
        option('--to <stitchId>', 'to another stitch'),
        option('--wait', 'follow it to its end; exit 1 unless it is delivered'),
      ],
      async run(context, [deliveryId = ''], { to, wait }) {
        const skein = await context.connect();
        const replayed = await skein.deliveries.replay(deliveryId, { targetStitchId: to });
        const delivery = wait === true ? await waitForEnd(skein, replayed) : replayed;
        context.output.fields(delivery);
        if (wait === true && delivery.status !== 'delivered') throw new SilentExit(exitCodes.failed);
      },
    }),
  ],
};

const firstLookMs = 100;
const longestLookMs = 5_000;

async function waitForEnd(skein: Skein, replayed: WebhookDelivery): Promise<WebhookDelivery> {
  let delivery = replayed;
  for (let waitMs = firstLookMs; !ends.has(delivery.status); waitMs = Math.min(waitMs * 2, longestLookMs)) {
    await pause(waitMs);
    delivery = await skein.deliveries.get(delivery.deliveryId);
  }
  return delivery;
}
