/** What was used, by day, agent, channel, model or provider, and the budgets that end it. */
import { SegmentedControl, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { lazyPart } from '../../kit/lazy-part.ts';
import { useFormats } from '../../kit/use-formats.ts';
import type { ListUsageQuery, Usage } from '../../sdk/index.ts';
import { useAgents } from '../agents/use-agents.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { dayMs } from '../parts/days.ts';
import { Page, Section } from '../parts/page.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { Budgets } from './budgets.tsx';

const Charts = lazyPart(() => import('./charts.tsx'));

type GroupBy = NonNullable<ListUsageQuery['groupBy']>;
const groupings = ['day', 'agent', 'channel', 'model', 'provider'] as const satisfies readonly GroupBy[];
/** Others are named by their ids. */
const mostChannels = 300;
/** Days. */
const spans = ['7', '30', '90'] as const;

export function UsagePage() {
  const texts = useTexts().usage;
  const { client, environmentId } = useTenant();
  const search = useSearch({ from: '/signed-in/$projectId/$environmentId/usage' });
  const navigate = useNavigate({ from: '/$projectId/$environmentId/usage' });
  const groupBy = groupings.find(each => each === search.by) ?? 'day';
  const days = spans.find(each => each === search.days) ?? '30';
  const from = useFirstDay(Number(days));
  const toName = useNames(groupBy);
  const columns = useUsageColumns(groupBy, toName);
  return (
    <Page title={texts.title} about={texts.about}>
      {groupBy === 'day' && (
        <Suspense>
          <Charts from={from} days={Number(days)} />
        </Suspense>
      )}
      <DataTable
        name={`usage-${groupBy}`}
        label={texts.title}
        queryKey={['usage', environmentId, groupBy, from]}
        load={cursor => client.usage.list({ groupBy, from, cursor, limit: 100 })}
        rowKey={each => [each.day, each.agentId, each.channelId, each.provider, each.model].join(' ')}
        columns={columns}
        empty={texts.none}
        controls={
          <>
            <SegmentedControl
              size="xs"
              aria-label={texts.grouping}
              value={groupBy}
              onChange={value => void navigate({ search: before => ({ ...before, by: value }) })}
              data={groupings.map(value => ({ value, label: texts.by[value] }))}
            />
            <Select
              size="xs"
              w={140}
              aria-label={texts.span}
              allowDeselect={false}
              value={days}
              onChange={value =>
                void navigate({ search: before => ({ ...before, days: value ?? undefined }) })
              }
              data={spans.map(value => ({ value, label: texts.lastDays(Number(value)) }))}
            />
          </>
        }
      />
      <Section title={texts.budgets.title}>
        <Budgets />
      </Section>
    </Page>
  );
}

/** What a row is about, in words. */
function useNames(groupBy: GroupBy): (usage: Usage) => string {
  const texts = useTexts().usage;
  const { client, environmentId } = useTenant();
  const { data: agents = [] } = useAgents();
  const { data: channels = [] } = useQuery({
    queryKey: ['channels', environmentId, 'names'],
    queryFn: () => client.channels.list({ limit: 100 }).toArray(mostChannels),
    enabled: groupBy === 'channel',
  });
  return ({ day, agentId, channelId, model, provider }) => {
    switch (groupBy) {
      case 'day':
        return day ?? '–';
      case 'agent':
        return agents.find(each => each.agentId === agentId)?.name ?? agentId ?? texts.noAgent;
      case 'channel':
        return channels.find(each => each.channelId === channelId)?.name ?? channelId ?? texts.noChannel;
      case 'model':
        return model ?? '–';
      case 'provider':
        return provider ?? '–';
      default:
        return groupBy satisfies never;
    }
  };
}

function useUsageColumns(groupBy: GroupBy, toName: (usage: Usage) => string): Column<Usage>[] {
  const texts = useTexts().usage;
  const { number, cost } = useFormats();
  const count = (key: string, label: string, read: (usage: Usage) => number | undefined): Column<Usage> => ({
    key,
    label,
    align: 'right',
    show: usage => number(read(usage) ?? 0),
  });
  return [
    { key: 'name', label: texts.by[groupBy], isFixed: true, show: usage => <bdi>{toName(usage)}</bdi> },
    ...(groupBy === 'day' || groupBy === 'channel'
      ? [
          count('in', texts.inbound, each => each.messagesInbound),
          count('out', texts.outbound, each => each.messagesOutbound),
        ]
      : []),
    ...(groupBy === 'day'
      ? [
          count('deliveries', texts.deliveries, each => each.deliveries),
          count('attempts', texts.attempts, each => each.deliveryAttempts),
        ]
      : []),
    count('runs', texts.runs, each => each.agentRuns),
    count('calls', texts.toolCalls, each => each.toolCalls),
    count('tokens', texts.tokens, each => each.totalTokens),
    { key: 'cost', label: texts.cost, align: 'right', show: each => cost(each.estimatedCostMicros) },
  ];
}

/** Of the last days, today included, as the contract counts them: in UTC. */
function useFirstDay(days: number): string {
  const [openedAt] = useState(Date.now);
  return new Date(openedAt - (days - 1) * dayMs).toISOString().slice(0, 10);
}
