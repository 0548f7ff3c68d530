/** Work that does not go on as it should: webhooks that lag, full mailboxes, refused commits, what was given up. */
import { useFormats } from '../../kit/use-formats.ts';
import type { System, SystemActor, SystemDeadLetters, SystemRefusals } from '../../sdk/index.ts';
import { Section } from '../parts/page.tsx';
import { Time } from '../parts/time.tsx';
import { PlainTable } from './plain-table.tsx';
import classes from './system.module.css';
import { formatSpan } from './units.ts';
import { useSystemTexts } from './use-texts.ts';

export function Lagging({ system }: { readonly system: System }) {
  const { stitches: texts } = useSystemTexts();
  const formats = useFormats();
  const { stitches, oldestDeliverySeconds: oldest } = system;
  return (
    <Section title={texts.title}>
      {oldest !== null && oldest > 0 && (
        <p className={classes['note']}>
          {texts.oldest}: {formatSpan(oldest * 1_000, formats)}
        </p>
      )}
      {stitches.length === 0 ? (
        <p className={classes['note']}>{texts.none}</p>
      ) : (
        <PlainTable
          label={texts.title}
          rows={stitches}
          rowKey={({ stitchId }) => stitchId}
          minWidth={760}
          columns={[
            { label: texts.stitch, show: ({ stitchId }) => <code>{stitchId}</code> },
            { label: texts.lag, isNumber: true, show: ({ lagEvents }) => formats.number(lagEvents) },
            { label: texts.status, show: ({ status }) => texts.statuses[status] },
            { label: texts.project, show: ({ projectId }) => <code>{projectId}</code> },
            { label: texts.environment, show: ({ environmentId }) => <code>{environmentId}</code> },
          ]}
        />
      )}
    </Section>
  );
}

export function Mailboxes({ actors }: { readonly actors: readonly SystemActor[] }) {
  const { actors: texts, never } = useSystemTexts();
  const formats = useFormats();
  return (
    <Section title={texts.title}>
      {actors.length === 0 ? (
        <p className={classes['note']}>{texts.none}</p>
      ) : (
        <PlainTable
          label={texts.title}
          rows={actors}
          rowKey={({ nodeId, kind, actorId }) => `${nodeId} ${kind} ${actorId}`}
          columns={[
            { label: texts.actor, show: ({ actorId }) => <code>{actorId}</code> },
            { label: texts.commands, isNumber: true, show: ({ commands }) => formats.number(commands) },
            {
              label: texts.committing,
              isNumber: true,
              show: ({ committingMs }) => (committingMs === null ? never : formatSpan(committingMs, formats)),
            },
            { label: texts.kind, show: ({ kind }) => kind },
            { label: texts.node, show: ({ nodeId }) => <code>{nodeId}</code> },
          ]}
        />
      )}
    </Section>
  );
}

export function Refusals({ refusals }: { readonly refusals: readonly SystemRefusals[] }) {
  const { refusals: texts } = useSystemTexts();
  const formats = useFormats();
  const reasons: Readonly<Record<string, string>> = texts.reasons;
  return (
    <Section title={texts.title}>
      {refusals.length === 0 ? (
        <p className={classes['note']}>{texts.none}</p>
      ) : (
        <PlainTable
          label={texts.title}
          rows={refusals}
          rowKey={({ reason }) => reason}
          columns={[
            {
              label: texts.reason,
              show: ({ reason }) => (
                <>
                  <code>{reason}</code> <span className={classes['small']}>{reasons[reason]}</span>
                </>
              ),
            },
            { label: texts.recent, isNumber: true, show: ({ recent }) => formats.number(recent) },
            { label: texts.total, isNumber: true, show: ({ total }) => formats.number(total) },
          ]}
        />
      )}
    </Section>
  );
}

export function DeadLetters({ deadLetters }: { readonly deadLetters: SystemDeadLetters }) {
  const { deadLetters: texts } = useSystemTexts();
  const formats = useFormats();
  const { count, more, newest } = deadLetters;
  return (
    <Section title={texts.title}>
      <p className={classes['note']}>
        {count === 0 ? texts.none : texts.kept(`${formats.number(count)}${more ? '+' : ''}`)}
      </p>
      {newest.length > 0 && (
        <PlainTable
          label={texts.title}
          rows={newest}
          rowKey={({ actorId, name, createdAt }) => `${actorId} ${name} ${createdAt}`}
          minWidth={640}
          columns={[
            { label: texts.at, show: ({ createdAt }) => <Time at={createdAt} isExact /> },
            { label: texts.name, show: ({ name }) => <code>{name}</code> },
            { label: texts.kind, show: ({ kind }) => kind },
            { label: texts.actor, show: ({ actorId }) => <code>{actorId}</code> },
            { label: texts.attempts, isNumber: true, show: ({ attempts }) => formats.number(attempts) },
          ]}
        />
      )}
    </Section>
  );
}
