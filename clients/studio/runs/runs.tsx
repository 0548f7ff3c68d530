/** What agents have done: each run with its state, its tokens and its cost, newest first; one of them beside the list. */
import { Anchor } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useFormats } from '../../kit/use-formats.ts';
import type { Agent, AgentRun } from '../../sdk/index.ts';
import { useAgents } from '../agents/use-agents.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { ChoiceFilter, SwitchFilter } from '../parts/filters.tsx';
import { Page } from '../parts/page.tsx';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { RunDrawer } from './run-drawer.tsx';

const statuses = ['pending', 'running', 'succeeded', 'failed', 'cancelled'] as const;
/** Milliseconds. */
const liveMs = 2_000;

export function Runs() {
  const texts = useTexts().runs;
  const { client, environmentId } = useTenant();
  const search = useSearch({ from: '/signed-in/$projectId/$environmentId/runs' });
  const navigate = useNavigate({ from: '/$projectId/$environmentId/runs' });
  const [isLive, setLive] = useState(true);
  const { agent: agentId } = search;
  const status = statuses.find(each => each === search.status);
  const { data: agents = [] } = useAgents();
  const columns = useRunColumns(agents);
  return (
    <Page title={texts.title} about={texts.about}>
      <DataTable
        name="runs"
        label={texts.title}
        queryKey={['runs', environmentId, agentId, status]}
        load={cursor => client.agentRuns.list({ agentId, status, cursor, limit: 50 })}
        rowKey={({ agentRunId }) => agentRunId}
        columns={columns}
        refreshMs={isLive ? liveMs : undefined}
        empty={agentId === undefined && status === undefined ? texts.none : texts.noneFound}
        controls={
          <>
            <ChoiceFilter
              label={texts.agent}
              any={texts.anyAgent}
              width={200}
              value={agentId}
              onChange={agent => void navigate({ search: before => ({ ...before, agent }) })}
              choices={agents.map(each => ({ value: each.agentId, label: each.name }))}
            />
            <ChoiceFilter
              label={texts.status}
              any={texts.anyStatus}
              value={status}
              onChange={chosen => void navigate({ search: before => ({ ...before, status: chosen }) })}
              choices={statuses.map(value => ({ value, label: texts.states[value] }))}
            />
            <SwitchFilter label={texts.live} isOn={isLive} onChange={setLive} />
          </>
        }
      />
      {search.run !== undefined && (
        <RunDrawer
          agentRunId={search.run}
          onClose={() => void navigate({ search: before => ({ ...before, run: undefined }) })}
        />
      )}
    </Page>
  );
}

function useRunColumns(agents: readonly Agent[]): readonly Column<AgentRun>[] {
  const texts = useTexts().runs;
  const formats = useFormats();
  const navigate = useNavigate({ from: '/$projectId/$environmentId/runs' });
  return [
    {
      key: 'at',
      label: texts.at,
      isFixed: true,
      show: ({ agentRunId, createdAt }) => (
        <Anchor
          component="button"
          type="button"
          size="sm"
          onClick={() => void navigate({ search: before => ({ ...before, run: agentRunId }) })}
        >
          <Time at={createdAt} isExact />
        </Anchor>
      ),
    },
    {
      key: 'status',
      label: texts.status,
      show: run => <State of={run.status} label={texts.states[run.status]} />,
    },
    {
      key: 'agent',
      label: texts.agent,
      show: run => <bdi>{agents.find(each => each.agentId === run.agentId)?.name ?? run.agentId ?? '–'}</bdi>,
    },
    { key: 'model', label: texts.model, show: ({ model }) => <bdi>{model}</bdi> },
    {
      key: 'suggestion',
      label: texts.suggestion,
      show: ({ trace }) => (trace.suggestion === undefined ? '–' : texts.fates[trace.suggestion.status]),
    },
    { key: 'calls', label: texts.toolCalls, align: 'right', show: ({ toolCallCount }) => toolCallCount },
    {
      key: 'tokens',
      label: texts.tokens,
      align: 'right',
      show: ({ totalTokens }) => (totalTokens == null ? '–' : formats.number(totalTokens)),
    },
    {
      key: 'cost',
      label: texts.cost,
      align: 'right',
      show: ({ estimatedCostMicros }) =>
        estimatedCostMicros == null ? '–' : formats.cost(estimatedCostMicros),
    },
    { key: 'thread', label: texts.thread, show: ({ threadId }) => threadId ?? '–', isExtra: true },
    { key: 'id', label: 'ID', show: ({ agentRunId }) => agentRunId, isExtra: true },
  ];
}
