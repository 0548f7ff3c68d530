/** What was used, by day, agent, model or provider, and the budgets that end it. */
import { SegmentedControl, Select } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useFormats } from '../../kit/use-formats.ts';
import type { ListUsageQuery, Usage } from '../../sdk/index.ts';
import { useAgents } from '../agents/use-agents.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { dayMs } from '../parts/days.ts';
import { Page, Section } from '../parts/page.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { Budgets } from './budgets.tsx';

const Charts = lazy(() => import('./charts.tsx'));

type GroupBy = NonNullable<ListUsageQuery['groupBy']>;
const groupings = ['day', 'agent', 'model', 'provider'] as const satisfies readonly GroupBy[];
/** Days. */
const spans = ['7', '30', '90'] as const;

export function UsagePage() {
  const texts = useTexts().usage;
  const formats = useFormats();
  const { client, environmentId } = useTenant();
  const search = useSearch({ from: '/signed-in/$projectId/$environmentId/usage' });
  const navigate = useNavigate({ from: '/$projectId/$environmentId/usage' });
  const groupBy = groupings.find(each => each === search.by) ?? 'day';
  const days = spans.find(each => each === search.days) ?? '30';
  const from = useFirstDay(Number(days));
  const { data: agents = [] } = useAgents();
  const toName = (usage: Usage): string => {
    if (groupBy === 'day') return usage.day ?? '–';
    if (groupBy === 'agent')
      return agents.find(({ agentId }) => agentId === usage.agentId)?.name ?? usage.agentId ?? texts.noAgent;
    return (groupBy === 'model' ? usage.model : usage.provider) ?? '–';
  };
  const columns: Column<Usage>[] = [
    { key: 'name', label: texts.by[groupBy], isFixed: true, show: usage => <bdi>{toName(usage)}</bdi> },
    ...(groupBy === 'day'
      ? ([
          {
            key: 'in',
            label: texts.inbound,
            align: 'right',
            show: usage => formats.number(usage.messagesInbound ?? 0),
          },
          {
            key: 'out',
            label: texts.outbound,
            align: 'right',
            show: usage => formats.number(usage.messagesOutbound ?? 0),
          },
        ] satisfies Column<Usage>[])
      : []),
    { key: 'runs', label: texts.runs, align: 'right', show: ({ agentRuns }) => formats.number(agentRuns) },
    {
      key: 'calls',
      label: texts.toolCalls,
      align: 'right',
      show: ({ toolCalls }) => formats.number(toolCalls),
    },
    { key: 'tokens', label: texts.tokens, align: 'right', show: each => formats.number(each.totalTokens) },
    { key: 'cost', label: texts.cost, align: 'right', show: each => formats.cost(each.estimatedCostMicros) },
  ];
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
        rowKey={toName}
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

/** Of the last days, today included, as the contract counts them: in UTC. */
function useFirstDay(days: number): string {
  const [openedAt] = useState(Date.now);
  return new Date(openedAt - (days - 1) * dayMs).toISOString().slice(0, 10);
}
