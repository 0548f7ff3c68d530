/** Where the account is signed in, and the end of that. */
import { Button, Text } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { askToSignOut, skein } from '../../browser-session.ts';
import type { Session } from '../../../sdk/index.ts';
import { useAction } from '../../use-action.ts';
import { useFormats } from '../../use-formats.ts';
import { Problem } from '../account-page.tsx';
import { Section } from './section.tsx';
import classes from './section.module.css';
import { useOwnTexts } from './texts.ts';

export const sessionsKey = ['own-sessions'];

export function SessionsSection() {
  const texts = useOwnTexts().sessions;
  const queries = useQueryClient();
  const action = useAction();
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: sessionsKey,
    queryFn: async ({ pageParam }) => skein.sessions.list({ cursor: pageParam, limit: 20 }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: last => last.nextCursor ?? undefined,
  });
  const sessions = data?.pages.flatMap(page => page.data) ?? [];
  const change = (work: () => Promise<unknown>): void => {
    void action.run(async () => {
      await work();
      await queries.invalidateQueries({ queryKey: sessionsKey });
    });
  };
  return (
    <Section title={texts.title} intro={texts.intro}>
      <ul className={classes['list']}>
        {sessions.map(session => (
          <Item
            key={session.sessionId}
            session={session}
            isBusy={action.isRunning}
            onEnd={() => {
              if (session.current) void askToSignOut();
              else change(() => skein.sessions.end(session.sessionId));
            }}
          />
        ))}
      </ul>
      <Problem text={action.problem} />
      {hasNextPage && (
        <Button variant="subtle" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {texts.more}
        </Button>
      )}
      {sessions.length > 1 && (
        <div>
          <Button
            variant="default"
            loading={action.isRunning}
            onClick={() => change(() => skein.sessions.endOthers())}
          >
            {texts.endOthers}
          </Button>
        </div>
      )}
    </Section>
  );
}

interface ItemProps {
  readonly session: Session;
  readonly isBusy: boolean;
  readonly onEnd: () => void;
}

function Item({ session, isBusy, onEnd }: ItemProps) {
  const texts = useOwnTexts().sessions;
  const formats = useFormats();
  const { device, address, current, createdAt, lastUsedAt, userAgent } = session;
  const name = texts.device(device.browser, device.system);
  return (
    <li className={classes['session']}>
      <div>
        <span title={userAgent ?? undefined}>{name}</span>{' '}
        {current && <b className={classes['current']}>{texts.current}</b>}
        <Text className={classes['quiet']}>
          {texts.facts(address ?? '–', formats.dateAndTime(createdAt), formats.dateAndTime(lastUsedAt))}
        </Text>
      </div>
      <Button
        size="compact-sm"
        variant="subtle"
        color="red.8"
        disabled={isBusy}
        aria-label={texts.endOne(name)}
        onClick={onEnd}
      >
        {texts.end}
      </Button>
    </li>
  );
}
