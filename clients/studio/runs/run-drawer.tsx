/** How an agent came to its answer: when each step and each tool call was, what they were given and gave, and what they cost. */
import { Anchor, Button, Code, Drawer, Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { PageLink } from '../../kit/account/account-page.tsx';
import { useKitTexts } from '../../kit/texts/index.ts';
import { useAction } from '../../kit/use-action.ts';
import { useFormats } from '../../kit/use-formats.ts';
import type { AgentRun } from '../../sdk/index.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { Facts } from '../parts/facts.tsx';
import { Json } from '../parts/json.tsx';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { type Bar, layOut } from './waterfall.ts';
import classes from './run-drawer.module.css';

/** Milliseconds. */
const liveMs = 1_500;

interface RunDrawerProps {
  readonly agentRunId: string;
  readonly onClose: () => void;
}

const isUnderWay = ({ status }: AgentRun): boolean => status === 'pending' || status === 'running';

export function RunDrawer({ agentRunId, onClose }: RunDrawerProps) {
  const texts = useTexts().runs;
  const { close, loading } = useKitTexts().shell;
  const { client } = useTenant();
  const { data: run, error } = useQuery({
    queryKey: ['run', agentRunId],
    queryFn: () => client.agentRuns.get(agentRunId),
    refetchInterval: ({ state: { data } }) => (data !== undefined && isUnderWay(data) ? liveMs : false),
  });
  return (
    <Drawer opened size="xl" onClose={onClose} title={texts.run} closeButtonProps={{ 'aria-label': close }}>
      {error !== null && <ErrorNote error={error} />}
      {run === undefined && error === null && <Text size="sm">{loading}</Text>}
      {run !== undefined && <Content run={run} />}
    </Drawer>
  );
}

function Content({ run }: { readonly run: AgentRun }) {
  const texts = useTexts().runs;
  const formats = useFormats();
  const { projectId, environmentId } = useTenant();
  const { trace, status, errorMessage, totalTokens, estimatedCostMicros, loomId, loomVersionId, threadId } =
    run;
  const { suggestion, handoff, budget } = trace;
  return (
    <Stack gap="md">
      <Facts
        facts={[
          [texts.status, <State key="status" of={status} label={texts.states[status]} />],
          [texts.at, <Time key="at" at={run.createdAt} isExact />],
          [texts.model, run.model],
          [texts.tokens, totalTokens == null ? '–' : formats.number(totalTokens)],
          [texts.cost, estimatedCostMicros == null ? '–' : formats.cost(estimatedCostMicros)],
          ['ID', <Code key="id">{run.agentRunId}</Code>],
        ]}
      />
      {errorMessage != null && (
        <ErrorNote error={new Error(`${run.errorCode ?? ''} ${errorMessage}`.trim())} />
      )}
      <Group gap="md">
        {loomId != null && (
          <PageLink
            to="/$projectId/$environmentId/instructions/$loomId"
            params={{ projectId, environmentId, loomId }}
            search={loomVersionId === undefined ? {} : { version: loomVersionId }}
          >
            {texts.toInstructions}
          </PageLink>
        )}
        {threadId != null && (
          <Anchor size="sm" href={`/console/${projectId}/${environmentId}/all/${threadId}`}>
            {texts.toConversation}
          </Anchor>
        )}
        <Cancel run={run} />
      </Group>
      {handoff !== undefined && <Text size="sm">{texts.handoff(handoff.reason)}</Text>}
      {budget !== undefined && (
        <Text size="sm">
          {texts.budget(formats.cost(budget.spentMicros), formats.cost(budget.limitMicros))}
        </Text>
      )}
      <Waterfall run={run} />
      {suggestion !== undefined && (
        <section aria-label={texts.suggestion}>
          <Text fw={600} size="sm" mb={4}>
            {texts.suggestion}: {texts.fates[suggestion.status]}
          </Text>
          <Text size="sm" className={classes['output']}>
            {suggestion.sentBody ?? suggestion.body}
          </Text>
        </section>
      )}
    </Stack>
  );
}

function Cancel({ run }: { readonly run: AgentRun }) {
  const texts = useTexts().runs;
  const { client, mayWrite } = useTenant();
  const queries = useQueryClient();
  const action = useAction();
  if (!mayWrite || !isUnderWay(run)) return null;
  const cancel = (): Promise<boolean> =>
    action.run(async () => {
      await client.agentRuns.cancel(run.agentRunId);
      await queries.invalidateQueries({ queryKey: ['run', run.agentRunId] });
    });
  return (
    <>
      <Button variant="default" loading={action.isRunning} onClick={() => void cancel()}>
        {texts.cancel}
      </Button>
      <ErrorNote error={action.error} />
    </>
  );
}

function Waterfall({ run }: { readonly run: AgentRun }) {
  const texts = useTexts().runs;
  if (run.trace.steps.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {texts.noSteps}
      </Text>
    );
  }
  return (
    <section aria-label={texts.steps}>
      <Text fw={600} size="sm" mb={6}>
        {texts.steps}
      </Text>
      <div className={classes['waterfall']}>
        {layOut(run.trace).map(bar => (
          <BarRow key={bar.key} bar={bar} />
        ))}
      </div>
    </section>
  );
}

function BarRow({ bar }: { readonly bar: Bar }) {
  const texts = useTexts().runs;
  const formats = useFormats();
  const { is, durationMs, from, width, step, call } = bar;
  const label = call === undefined ? texts.step(step.step) : call.name;
  return (
    <details className={classes['row']}>
      <summary>
        <span className={classes['name']} data-is={is}>
          {label}
        </span>
        <span className={classes['track']}>
          <span
            className={classes['bar']}
            data-is={is}
            data-failed={call?.status === 'failed' || undefined}
            style={{ insetInlineStart: `${from * 100}%`, width: `${width * 100}%` }}
          />
        </span>
        <span className={classes['time']}>
          {durationMs === null ? '–' : `${formats.number(durationMs)} ms`}
        </span>
      </summary>
      <div className={classes['detail']}>
        {call === undefined ? (
          <>
            <Text size="xs" c="dimmed">
              {texts.stepTokens(
                formats.number(step.promptTokens ?? 0),
                formats.number(step.completionTokens ?? 0),
              )}
              {step.costMicros !== null && ` · ${formats.cost(step.costMicros)}`} · {step.finishReason}
            </Text>
            {step.output !== '' && (
              <Text size="sm" className={classes['output']}>
                {step.output}
              </Text>
            )}
          </>
        ) : (
          <Stack gap={6}>
            <Text size="xs" c="dimmed">
              {texts.calls[call.status]} · {texts.attempts(call.attempts)}
              {call.httpStatus !== null && ` · HTTP ${call.httpStatus}`}
              {call.error !== null && ` · ${call.error}`}
            </Text>
            <Json label={texts.arguments} value={call.arguments} />
            {call.result != null && <Json label={texts.result} value={call.result} />}
          </Stack>
        )}
      </div>
    </details>
  );
}
