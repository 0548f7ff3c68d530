/** How an agent came to its answer: its steps, its tool calls, and what they cost. */
import { Drawer, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AgentRun, Suggestion, TracedCall, TracedStep } from '../../sdk/index.ts';
import { useKitTexts } from '../../kit/texts/index.ts';
import { useTexts } from '../texts/index.ts';
import { useClient } from '../thread/conversations-context.tsx';
import { toShownCode } from '../../kit/shown-name.ts';
import { LinkedText } from '../thread/linked-text.tsx';
import { useLoomVersion } from '../thread/use-loom-version.ts';
import { useFormats } from '../../kit/use-formats.ts';
import { type Names } from '../thread/names.tsx';
import classes from './agent.module.css';

interface RunDrawerProps {
  readonly agentRunId: string;
  readonly names: Names;
  readonly onClose: () => void;
}

/** A run that is at work is asked for again, so often, in milliseconds. */
const againMs = 2_000;

export default function RunDrawer({ agentRunId, names, onClose }: RunDrawerProps) {
  const texts = useTexts().thread;
  const { close } = useKitTexts().shell;
  const client = useClient();
  const { data: run, isError } = useQuery({
    queryKey: ['run', agentRunId],
    queryFn: () => client.agentRuns.get(agentRunId),
    staleTime: 0,
    refetchInterval: ({ state }) =>
      (state.data?.status === 'pending' || state.data?.status === 'running') && againMs,
  });
  return (
    <Drawer opened onClose={onClose} title={texts.run.title} closeButtonProps={{ 'aria-label': close }}>
      {isError && <Text role="alert">{texts.run.failed}</Text>}
      {run === undefined && !isError && <Skeleton h={200} />}
      {run !== undefined && (
        <>
          <RunFacts run={run} />
          {run.trace.suggestion !== undefined && (
            <Resolution suggestion={run.trace.suggestion} names={names} />
          )}
          {run.trace.steps.map(step => (
            <Step key={step.step} step={step} />
          ))}
        </>
      )}
    </Drawer>
  );
}

function RunFacts({ run }: { readonly run: AgentRun }) {
  const texts = useTexts().thread.run;
  const formats = useFormats();
  const version = useLoomVersion(run);
  const { startedAt, completedAt, totalTokens, promptTokens, completionTokens, estimatedCostMicros } = run;
  const ms =
    startedAt == null || completedAt == null ? undefined : Date.parse(completedAt) - Date.parse(startedAt);
  const facts: readonly (readonly [string, string])[] = [
    [texts.status[run.status], run.errorMessage ?? formats.dateTime(run.createdAt)],
    [texts.model, run.model],
    [texts.version, version === undefined ? texts.unknown : `v${version}`],
    [
      texts.tokens,
      totalTokens == null
        ? texts.unknown
        : `${formats.number(totalTokens)} (${texts.tokenSplit(formats.number(promptTokens ?? 0), formats.number(completionTokens ?? 0))})`,
    ],
    [texts.cost, estimatedCostMicros == null ? texts.unknown : formats.cost(estimatedCostMicros)],
    [texts.duration, ms === undefined ? texts.unknown : texts.seconds(formats.number(ms / 1_000))],
  ];
  return (
    <dl className={classes['facts']}>
      {facts.map(([name, value]) => (
        <div key={name} style={{ display: 'contents' }}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface ResolutionProps {
  readonly suggestion: Suggestion;
  readonly names: Names;
}

/** What was suggested, and what became of it. */
function Resolution({ suggestion, names }: ResolutionProps) {
  const texts = useTexts().thread.run;
  const { status, body, resolvedByUserId, discardReason } = suggestion;
  const said = texts.suggestionStatus[status];
  return (
    // A region of this name is the card beside it.
    <div role="group" className={classes['step']} aria-label={texts.suggestion}>
      <h3>
        {texts.suggestion}
        <small>
          <bdi>
            {resolvedByUserId == null ? said : texts.resolvedBy(said, names.person(resolvedByUserId))}
          </bdi>
        </small>
      </h3>
      {discardReason !== undefined && (
        <p className={classes['why']}>
          {texts.discardReason}: <bdi>{discardReason}</bdi>
        </p>
      )}
      <div className={classes['body']}>
        <LinkedText text={body} />
      </div>
    </div>
  );
}

function Step({ step }: { readonly step: TracedStep }) {
  const texts = useTexts().thread.run;
  const formats = useFormats();
  const tokens = (step.promptTokens ?? 0) + (step.completionTokens ?? 0);
  return (
    <section className={classes['step']}>
      <h3>
        {texts.step(step.step)}
        <small>
          {texts.seconds(formats.number(step.durationMs / 1_000))} ·{' '}
          {texts.tokenCount(formats.number(tokens))}
        </small>
      </h3>
      {step.toolCalls.map(call => (
        <Call key={call.callId} call={call} />
      ))}
      {step.output !== '' && <Code title={texts.output} value={step.output} />}
    </section>
  );
}

function Call({ call }: { readonly call: TracedCall }) {
  const texts = useTexts().thread.run;
  return (
    <>
      <h4>
        {texts.call(call.name)}{' '}
        <small>
          {texts.callStatus[call.status]} · {texts.attempts(call.attempts)}
        </small>
      </h4>
      <Code title={texts.arguments} value={call.arguments} />
      {call.error != null && <Code title={texts.error} value={call.error} />}
      {call.result != null && <Code title={texts.result} value={call.result} />}
    </>
  );
}

function Code({ title, value }: { readonly title: string; readonly value: unknown }) {
  return (
    <pre className={classes['code']} aria-label={title} title={title} tabIndex={0} role="group" dir="auto">
      {toShownCode(typeof value === 'string' ? value : JSON.stringify(value, null, 2))}
    </pre>
  );
}
