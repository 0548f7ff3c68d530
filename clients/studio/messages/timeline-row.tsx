/** An event of a message with its webhook deliveries, or a run with its tool calls. */
import { Text } from '@mantine/core';
import { useState } from 'react';
import { PageLink } from '../../kit/account/account-page.tsx';
import { toShownName } from '../../kit/shown-name.ts';
import { useFormats } from '../../kit/use-formats.ts';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { Attempts } from '../webhooks/attempts.tsx';
import type { TimelineDelivery, TimelineEntry, TimelineEvent } from './message-timeline.ts';
import classes from './timeline.module.css';

export function TimelineRow({ entry }: { readonly entry: TimelineEntry }) {
  return (
    <li className={classes['entry']} data-failed={isFailure(entry) || undefined}>
      <span className={classes['at']}>
        <Time at={entry.at} isExact />
      </span>
      {entry.is === 'event' ? <EventRow entry={entry} /> : <RunRow entry={entry} />}
    </li>
  );
}

const isFailure = (entry: TimelineEntry): boolean =>
  entry.is === 'event'
    ? entry.event.eventName === 'channel.message.delivery_failed'
    : entry.run.status === 'failed';

function EventRow({
  entry: { event, deliveries },
}: {
  readonly entry: Extract<TimelineEntry, { readonly is: 'event' }>;
}) {
  const texts = useTexts().messages.timeline;
  const { projectId, environmentId } = useTenant();
  const names: Readonly<Partial<Record<string, string>>> = texts.eventNames;
  const { eventId, eventName, actor, reportedAt, error } = event;
  return (
    <div>
      <div className={classes['what']}>
        <b>{names[eventName] ?? eventName}</b>
        <PageLink
          to="/$projectId/$environmentId/events"
          params={{ projectId, environmentId }}
          search={{ event: eventId }}
        >
          {eventName}
        </PageLink>
      </div>
      {actor !== undefined && (
        <div className={classes['more']}>
          {texts.by} {texts.actors[actor.type]}
        </div>
      )}
      {reportedAt !== undefined && (
        <div className={classes['more']}>
          {texts.reported} <Time at={reportedAt} isExact />
        </div>
      )}
      {error !== undefined && <Failure error={error} />}
      {deliveries.length > 0 && (
        <ul className={classes['parts']} aria-label={texts.deliveriesOf(eventName)}>
          {deliveries.map(delivery => (
            <Delivery key={delivery.deliveryId} delivery={delivery} />
          ))}
        </ul>
      )}
    </div>
  );
}

/** What the provider said, as it is. */
function Failure({ error }: { readonly error: unknown }) {
  const { code, message } = error as Readonly<Record<'code' | 'message', unknown>>;
  const said = [code, message].filter(part => typeof part === 'string' || typeof part === 'number');
  return (
    <Text size="sm" c="var(--mantine-color-error)">
      <bdi>{said.length === 0 ? JSON.stringify(error) : said.join(' · ')}</bdi>
    </Text>
  );
}

function Delivery({ delivery }: { readonly delivery: TimelineDelivery }) {
  const texts = useTexts();
  const { projectId, environmentId } = useTenant();
  const [isOpen, setOpen] = useState(false);
  const { deliveryId, stitchId, stitchName, status, attemptCount, lastError, nextAttemptAt } = delivery;
  return (
    <li>
      <details onToggle={event => setOpen(event.currentTarget.open)}>
        <summary>
          {texts.messages.timeline.webhook} <bdi>{toShownName(stitchName ?? stitchId ?? '')}</bdi>{' '}
          <State of={status} label={texts.webhooks.deliveries.states[status]} />{' '}
          <span className={classes['more']}>{texts.runs.attempts(attemptCount)}</span>
        </summary>
        {lastError != null && (
          <Text size="sm" c="var(--mantine-color-error)">
            <bdi>{lastError}</bdi>
          </Text>
        )}
        {nextAttemptAt != null && (
          <div className={classes['more']}>
            {texts.webhooks.deliveries.next}: <Time at={nextAttemptAt} isExact />
          </div>
        )}
        {isOpen && <Attempts delivery={delivery} />}
        {stitchId != null && (
          <PageLink
            to="/$projectId/$environmentId/webhooks/$stitchId"
            params={{ projectId, environmentId, stitchId }}
            search={{ delivery: deliveryId }}
          >
            {texts.messages.timeline.toDelivery}
          </PageLink>
        )}
      </details>
    </li>
  );
}

function RunRow({
  entry: { run, calls },
}: {
  readonly entry: Extract<TimelineEntry, { readonly is: 'run' }>;
}) {
  const texts = useTexts();
  const formats = useFormats();
  const { projectId, environmentId } = useTenant();
  const { agentRunId, status, model, totalTokens, estimatedCostMicros, errorCode, errorMessage } = run;
  return (
    <div>
      <div className={classes['what']}>
        <b>{texts.runs.run}</b>
        <State of={status} label={texts.runs.states[status]} />
        <PageLink
          to="/$projectId/$environmentId/runs"
          params={{ projectId, environmentId }}
          search={{ run: agentRunId }}
        >
          {texts.messages.timeline.toRun}
        </PageLink>
      </div>
      <div className={classes['more']}>
        <bdi>{model}</bdi>
        {totalTokens != null && ` · ${texts.runs.tokens}: ${formats.number(totalTokens)}`}
        {estimatedCostMicros != null && ` · ${formats.cost(estimatedCostMicros)}`}
      </div>
      {errorMessage != null && <Failure error={{ code: errorCode, message: errorMessage }} />}
      {calls.length > 0 && (
        <ul className={classes['parts']} aria-label={texts.runs.toolCalls}>
          {calls.map(call => (
            <Call key={call.eventId} call={call} />
          ))}
        </ul>
      )}
    </div>
  );
}

function Call({ call }: { readonly call: TimelineEvent }) {
  const texts = useTexts().messages.timeline;
  const formats = useFormats();
  const { projectId, environmentId } = useTenant();
  const { eventName, toolId, durationMs, error } = call;
  return (
    <li>
      {eventName === 'agent.tool.failed' ? texts.toolFailed : texts.toolUsed}
      {durationMs !== undefined && ` · ${formats.number(durationMs)} ms`}{' '}
      {toolId !== undefined && (
        <PageLink to="/$projectId/$environmentId/tools/$toolId" params={{ projectId, environmentId, toolId }}>
          {texts.toTool}
        </PageLink>
      )}
      {error !== undefined && <Failure error={error} />}
    </li>
  );
}
