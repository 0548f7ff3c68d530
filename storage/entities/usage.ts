/** Usage, counted from the event log (storage/usage/count-usage.ts), and that of runs whose rows are gone. */
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
    /** Of the hours that `stitch_hours` has no more (storage/usage/count-deliveries.ts). */
    deliveries: big().defaultRaw('0'),
    deliveryAttempts: big().defaultRaw('0'),
  },
});

/** The messages of a day by their channel, as far as they were counted since there is this table. */
export const UsageChannelDay = defineEntity({
  name: 'UsageChannelDay',
  tableName: 'usage_channel_days',
  properties: {
    projectId: id().primary(),
    environmentId: id().primary(),
    day: p.date().primary(),
    /** Empty: none. */
    channelId: id().primary(),
    messagesInbound: big().defaultRaw('0'),
    messagesOutbound: big().defaultRaw('0'),
  },
});

/** Bytes that a project, workspace or user has written on a day of UTC (storage/usage/stored-bytes.ts). */
export const StoredBytesDay = defineEntity({
  name: 'StoredBytesDay',
  tableName: 'stored_bytes',
  properties: { owner: id().primary(), day: p.date().primary(), bytes: big() },
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

/** How far each project's events were taken up by the search (storage/search). */
export const SearchMark = defineEntity({
  name: 'SearchMark',
  tableName: 'search_marks',
  properties: {
    projectId: id().primary(),
    seq: big(),
  },
});

/**
 * What the runs of one kind used that began on one day of UTC and were removed (storage/retention/sandbox-threads.ts), and what trials of loom
 * versions used on it (storage/usage/count-trials.ts).
 */
export const UsageRun = defineEntity({
  name: 'UsageRun',
  tableName: 'usage_runs',
  properties: {
    projectId: id().primary(),
    environmentId: id().primary(),
    day: p.date().primary(),
    /** Empty: none. */
    agentId: id().primary(),
    model: p.text().primary(),
    provider: p.text().primary(),
    runs: big(),
    toolCalls: big(),
    promptTokens: big(),
    completionTokens: big(),
    totalTokens: big(),
    costMicros: big(),
  },
});
