/** Usage, counted from the event log (storage/usage/count-usage.ts). */
import { defineEntity, p } from '@mikro-orm/core';
import { big, id } from './columns.ts';

/** One environment on one day of UTC. */
export const UsageDay = defineEntity({
  name: 'UsageDay',
  tableName: 'usage_days',
  properties: {
    projectId: id().primary(),
    environmentId: id().primary(),
    day: p.date().primary(),
    messagesInbound: big().defaultRaw('0'),
    messagesOutbound: big().defaultRaw('0'),
  },
});

/** The events of a project up to this `seq` are counted in `usage_days`, those after it are not. */
export const UsageMark = defineEntity({
  name: 'UsageMark',
  tableName: 'usage_marks',
  properties: {
    projectId: id().primary(),
    seq: big(),
  },
});
