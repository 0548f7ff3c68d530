/** How the service does, for those who operate it: what is sick first, with what to do; then what every node says of itself. */
import { useQuery } from '@tanstack/react-query';
import { skein } from '../../kit/browser-session.ts';
import { useKitTexts } from '../../kit/texts/index.ts';
import { useFormats } from '../../kit/use-formats.ts';
import type { System } from '../../sdk/index.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { Page } from '../parts/page.tsx';
import { Base } from './base.tsx';
import { Nodes } from './nodes.tsx';
import { Shards } from './shards.tsx';
import classes from './system.module.css';
import { useSystemTexts } from './use-texts.ts';
import { Verdict } from './verdict.tsx';
import { DeadLetters, Lagging, Mailboxes, Refusals } from './work.tsx';

/** Milliseconds. */
const refreshMs = 5_000;

export function SystemPage() {
  const texts = useSystemTexts();
  const formats = useFormats();
  const { loading } = useKitTexts().shell;
  const { data: system, error } = useQuery({
    queryKey: ['system'],
    queryFn: () => skein.system.get(),
    refetchInterval: refreshMs,
    retry: false,
  });
  return (
    <Page
      title={texts.title}
      about={texts.about}
      actions={
        system !== undefined && (
          <time dateTime={system.at} className={classes['asOf']}>
            {texts.asOf(formats.dateTime(system.at))}
          </time>
        )
      }
    >
      <ErrorNote error={error} />
      {system !== undefined && error !== null && <p className={classes['stale']}>{texts.stale}</p>}
      {system === undefined && error === null && (
        <p className={classes['note']} role="status">
          {loading}
        </p>
      )}
      {system !== undefined && <Report system={system} />}
    </Page>
  );
}

function Report({ system }: { readonly system: System }) {
  return (
    <>
      <Verdict system={system} />
      <Nodes system={system} />
      <Base system={system} />
      <Shards shards={system.shards} />
      <Lagging system={system} />
      <Mailboxes actors={system.actors} />
      <Refusals refusals={system.commitRefusals} />
      <DeadLetters deadLetters={system.deadLetters} />
    </>
  );
}
