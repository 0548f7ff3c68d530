/** Work that does not go on as it should: webhooks that lag, full mailboxes, refused commits, what was given up. */
import { useQueryClient } from '@tanstack/react-query';
import { skein } from '../../kit/browser-session.ts';
import { useAction } from '../../kit/use-action.ts';
import { useFormats } from '../../kit/use-formats.ts';
import type { System, SystemActor, SystemDeadLetters, SystemRefusals } from '../../sdk/index.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { Section } from '../parts/page.tsx';
import { RowMenu } from '../parts/row-menu.tsx';
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
  const queries = useQueryClient();
  const { error, run: act } = useAction();
  const { count, more, newest } = deadLetters;
  const change = (request: () => Promise<unknown>): void => {
    void act(async () => {
      await request();
      await queries.invalidateQueries({ queryKey: ['system'] });
    });
  };
  return (
    <Section title={texts.title}>
      <p className={classes['note']}>
        {count === 0 ? texts.none : texts.kept(`${formats.number(count)}${more ? '+' : ''}`)}
      </p>
      <ErrorNote error={error} />
      {newest.length > 0 && (
        <PlainTable
          label={texts.title}
          rows={newest}
          rowKey={({ deadLetterId }) => deadLetterId}
          minWidth={760}
          columns={[
            { label: texts.at, show: ({ createdAt }) => <Time at={createdAt} isExact /> },
            { label: texts.name, show: ({ name }) => <code>{name}</code> },
            { label: texts.kind, show: ({ kind }) => kind },
            { label: texts.actor, show: ({ actorId }) => <code>{actorId}</code> },
            { label: texts.error, show: ({ errorCode }) => errorCode !== null && <code>{errorCode}</code> },
            { label: texts.attempts, isNumber: true, show: ({ attempts }) => formats.number(attempts) },
            {
              label: texts.actions,
              show: ({ deadLetterId, name, actorId }) => (
                <RowMenu
                  label={texts.actionsOf(name, actorId)}
                  acts={[
                    {
                      label: texts.run,
                      onChoose: () => change(() => skein.system.runDeadLetter(deadLetterId)),
                    },
                    {
                      label: texts.delete,
                      isDanger: true,
                      onChoose: () => change(() => skein.system.deleteDeadLetter(deadLetterId)),
                    },
                  ]}
                />
              ),
            },
          ]}
        />
      )}
    </Section>
  );
}
