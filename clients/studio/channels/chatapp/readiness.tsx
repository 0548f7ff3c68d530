/** Whether the channel can send and receive, as the provider says: what stands in the way comes first, each with what to do. */
import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, CircleX } from 'lucide-react';
import type { ChatappReadiness } from '../../../sdk/index.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Section } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { useTenant } from '../../shell/tenant.tsx';
import { texts as all } from '../../texts/chatapp.ts';
import classes from './chatapp.module.css';

const texts = all.readiness;

type Check = ChatappReadiness['checks'][number];
type Outcome = 'fails' | 'warning' | 'passed';

const icons = { fails: CircleX, warning: CircleAlert, passed: CircleCheck } as const;
const order: readonly Outcome[] = ['fails', 'warning', 'passed'];

/** Checks whose reason says what was found where all is well. */
const remarks: readonly string[] = ['payment', 'webhook_verified'];

function toOutcome({ id, ok, reason }: Check): Outcome {
  if (!ok) return 'fails';
  return reason === undefined || remarks.includes(id) ? 'passed' : 'warning';
}

interface ReadinessProps {
  readonly channelId: string;
  /** Whether there is a connection to look at. */
  readonly isConnected: boolean;
}

export function Readiness({ channelId, isConnected }: ReadinessProps) {
  const { client } = useTenant();
  const { data, error, isFetching, dataUpdatedAt, refetch } = useQuery({
    queryKey: ['readiness', channelId],
    queryFn: () => client.chatapp.checkReadiness(channelId),
    enabled: isConnected,
    // It asks the provider eight questions.
    staleTime: 60_000,
  });
  return (
    <Section
      title={texts.title}
      actions={
        isConnected && (
          <Button variant="default" loading={isFetching} onClick={() => void refetch()}>
            {texts.again}
          </Button>
        )
      }
    >
      {!isConnected && (
        <Text size="sm" c="dimmed">
          {texts.notYet}
        </Text>
      )}
      <ErrorNote error={error} />
      {data === undefined && isFetching && (
        <Text size="sm" role="status">
          {texts.looking}
        </Text>
      )}
      {isConnected && data !== undefined && (
        <Checks readiness={data} lookedAt={new Date(dataUpdatedAt).toISOString()} />
      )}
    </Section>
  );
}

interface ChecksProps {
  readonly readiness: ChatappReadiness;
  readonly lookedAt: string;
}

function Checks({ readiness: { checks }, lookedAt }: ChecksProps) {
  const rows = checks
    .map(check => ({ check, outcome: toOutcome(check) }))
    .sort((a, b) => order.indexOf(a.outcome) - order.indexOf(b.outcome));
  const passed = rows.filter(({ outcome }) => outcome === 'passed');
  const failed = rows.filter(({ outcome }) => outcome === 'fails').length;
  return (
    <>
      <Text size="sm" mb={8} role="status">
        <b>{failed === 0 ? texts.ready : texts.problems(failed)}</b>{' '}
        <Text component="span" size="xs" c="dimmed">
          {texts.lookedAt} <Time at={lookedAt} isExact />
        </Text>
      </Text>
      {rows.length > passed.length && <CheckList rows={rows.filter(({ outcome }) => outcome !== 'passed')} />}
      {passed.length > 0 && (
        <details className={classes['more']}>
          <summary>{texts.passedCount(passed.length)}</summary>
          <CheckList rows={passed} />
        </details>
      )}
    </>
  );
}

interface Row {
  readonly check: Check;
  readonly outcome: Outcome;
}

function CheckList({ rows }: { readonly rows: readonly Row[] }) {
  return (
    <ul className={classes['checks']} aria-label={texts.title}>
      {rows.map(({ check, outcome }) => (
        <CheckRow key={check.id} check={check} outcome={outcome} />
      ))}
    </ul>
  );
}

const find = (of: Readonly<Record<string, string>>, id: string): string | undefined =>
  Object.hasOwn(of, id) ? of[id] : undefined;

function CheckRow({ check, outcome }: Row) {
  const { id, label, reason } = check;
  const Icon = icons[outcome];
  const advice = outcome === 'passed' ? undefined : find(texts.advice, id);
  return (
    <li data-is={outcome} data-check={id}>
      <Icon size={16} role="img" aria-label={texts[outcome]} />
      <div>
        {find(texts.labels, id) ?? label}
        {reason !== undefined && (
          <div className={classes['note']} lang="en">
            {reason}
          </div>
        )}
        {advice !== undefined && (
          <div>
            <b>{texts.whatToDo}:</b> {advice}
          </div>
        )}
      </div>
    </li>
  );
}
