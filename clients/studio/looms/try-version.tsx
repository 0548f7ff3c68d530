/** Tries a version: on a conversation that there was, or on what is typed. Nothing is sent, and no tool is called. */
import { Alert, Badge, Button, Group, Select, Stack, Text, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { toReadableName } from '../../kit/people/readable-name.ts';
import { useFormats } from '../../kit/use-formats.ts';
import type { LoomTrial, LoomVersion, Thread, TrialStep, TryLoomBody } from '../../sdk/index.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { Facts } from '../parts/facts.tsx';
import { Json } from '../parts/json.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { useTools } from './version-form.tsx';

/** As long as the API lets a trial take, and for the way there and back. In milliseconds. */
const trialMs = 60_000;
const waitMs = 75_000;
/** The newest; others are found in the Console. */
const shownThreads = 50;
/** Code points of a message. */
const longestMessage = 16_000;

export function TryVersion({ version }: { readonly version: LoomVersion }) {
  const texts = useTexts().looms.trial;
  const { client } = useTenant();
  const [threadId, setThreadId] = useState<string | null>(null);
  const [message, setMessage] = useState('');
  const [results, setResults] = useState<Readonly<Record<string, string>>>({});
  const [trial, setTrial] = useState<LoomTrial>();
  const { isRunning, error, submit } = useSubmit(async () => {
    setTrial(undefined);
    const { loomId, loomVersionId } = version;
    const said =
      message.trim() === '' ? {} : { messages: [{ direction: 'inbound' as const, body: message }] };
    const body: Omit<TryLoomBody, 'projectId'> = {
      loomVersionId,
      ...(threadId === null ? {} : { threadId }),
      ...said,
      toolResults: toResults(results),
      timeoutMs: trialMs,
    };
    // Each try costs what its model costs: it is not repeated by itself.
    setTrial(await client.looms.try(loomId, body, { timeoutMs: waitMs, maxRetries: 0 }));
  });
  return (
    <form onSubmit={submit} aria-label={texts.title}>
      <Stack gap="sm" maw={720}>
        <Text size="sm" c="dimmed">
          {texts.hint}
        </Text>
        <ThreadSelect threadId={threadId} onChange={setThreadId} />
        <Textarea
          label={texts.message}
          description={threadId === null ? undefined : texts.messageHint}
          autosize
          minRows={2}
          maxRows={8}
          maxLength={longestMessage}
          value={message}
          onChange={event => setMessage(event.currentTarget.value)}
        />
        <ToolResults toolIds={version.toolIds} results={results} onChange={setResults} />
        <ErrorNote error={error} />
        <Group>
          <Button type="submit" loading={isRunning} disabled={threadId === null && message.trim() === ''}>
            {texts.action}
          </Button>
        </Group>
        {trial !== undefined && <Result trial={trial} />}
      </Stack>
    </form>
  );
}

/** @throws SyntaxError for what is no JSON: shown below the form */
function toResults(typed: Readonly<Record<string, string>>): { toolId: string; result: unknown }[] {
  return Object.entries(typed).flatMap(([toolId, text]) =>
    text.trim() === '' ? [] : [{ toolId, result: JSON.parse(text) as unknown }],
  );
}

interface ThreadSelectProps {
  readonly threadId: string | null;
  readonly onChange: (threadId: string | null) => void;
}

function ThreadSelect({ threadId, onChange }: ThreadSelectProps) {
  const texts = useTexts().looms.trial;
  const { client, environmentId } = useTenant();
  const { data: threads } = useQuery({
    queryKey: ['threads', environmentId, 'newest'],
    queryFn: async () => (await client.threads.list({ limit: shownThreads })).data,
  });
  return (
    <Select
      label={texts.thread}
      placeholder={texts.noThread}
      nothingFoundMessage={texts.noThreadFound}
      searchable
      clearable
      value={threadId}
      onChange={onChange}
      data={(threads ?? []).map(thread => ({ value: thread.threadId, label: nameThread(thread) }))}
    />
  );
}

function nameThread({ threadId, externalRef, participant, preview }: Thread): string {
  const name = participant?.displayName ?? externalRef ?? threadId;
  const said = preview?.text ?? '';
  return said === '' ? toReadableName(name) : `${toReadableName(name)}: ${said}`;
}

interface ToolResultsProps {
  readonly toolIds: readonly string[];
  readonly results: Readonly<Record<string, string>>;
  readonly onChange: (results: Readonly<Record<string, string>>) => void;
}

/** What tools are to have said where the conversation does not know it. */
function ToolResults({ toolIds, results, onChange }: ToolResultsProps) {
  const texts = useTexts().looms.trial;
  const { data: tools = [] } = useTools();
  return tools
    .filter(({ toolId }) => toolIds.includes(toolId))
    .map(({ toolId, name }) => (
      <Textarea
        key={toolId}
        label={texts.resultOf(name)}
        description={texts.resultHint}
        placeholder='{"status": "sent"}'
        autosize
        maxRows={8}
        value={results[toolId] ?? ''}
        onChange={event => onChange({ ...results, [toolId]: event.currentTarget.value })}
      />
    ));
}

function Result({ trial }: { readonly trial: LoomTrial }) {
  const texts = useTexts().looms.trial;
  const formats = useFormats();
  const { status, text, handoff, steps, totalTokens, estimatedCostMicros, durationMs, errorCode } = trial;
  return (
    <Stack gap="sm" role="status">
      <Alert color={status === 'succeeded' ? 'green' : 'red'} title={texts.results[status]} p="xs">
        {errorCode !== null && `${errorCode}: ${trial.errorMessage ?? ''}`}
        {text !== null && (
          <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            <bdi>{text}</bdi>
          </Text>
        )}
        {handoff !== undefined && <Text size="sm">{texts.handoff(handoff.reason)}</Text>}
      </Alert>
      <Facts
        facts={[
          [texts.tokens, totalTokens === null ? '–' : formats.number(totalTokens)],
          [texts.cost, estimatedCostMicros === null ? '–' : formats.cost(estimatedCostMicros)],
          [texts.duration, `${formats.number(durationMs)} ms`],
        ]}
      />
      {steps.flatMap(step => toCalls(step))}
    </Stack>
  );
}

function toCalls({ step, toolCalls }: TrialStep): ReactNode[] {
  return toolCalls.map((call, index) => <Call key={`${step}.${index}`} step={step} call={call} />);
}

interface CallProps {
  readonly step: number;
  readonly call: TrialStep['toolCalls'][number];
}

function Call({ step, call }: CallProps) {
  const texts = useTexts().looms.trial;
  const { name, stub, arguments: given, result, error, requiresApproval } = call;
  return (
    <section aria-label={texts.callOf(name)}>
      <Group gap="xs" mb={4}>
        <Text size="sm" fw={600}>
          {step}. <bdi>{name}</bdi>
        </Text>
        <Badge color={stub === 'recorded' || stub === 'given' ? 'blue' : 'gray'}>{texts.stubs[stub]}</Badge>
        {requiresApproval && <Badge color="yellow">{texts.approval}</Badge>}
      </Group>
      <Stack gap={6}>
        <Json label={texts.arguments} value={given} />
        {error !== null && <Text size="sm">{error}</Text>}
        {result != null && <Json label={texts.result} value={result} />}
      </Stack>
    </section>
  );
}
