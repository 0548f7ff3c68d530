/** How a webhook is doing: how often and how fast its receiver answers, what waits, and replays that are under way. */
import { Progress, SegmentedControl, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useFormats } from '../../kit/use-formats.ts';
import type { StitchReplay, StitchStats } from '../../sdk/index.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { Facts } from '../parts/facts.tsx';
import { Section } from '../parts/page.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import classes from './health.module.css';
import { fillHours, findShareDone } from './stats-hours.ts';

/** Hours. */
const spans = ['24', '168'] as const;
/** Milliseconds; of a replay people watch how it goes. */
const refreshMs = 10_000;
const replayingMs = 1_000;

export const statsKey = (stitchId: string): readonly string[] => ['stitch-stats', stitchId];

export function Health({ stitchId }: { readonly stitchId: string }) {
  const texts = useTexts().webhooks.health;
  const { client } = useTenant();
  const [span, setSpan] = useState<string>(spans[0]);
  const { data: stats, error } = useQuery({
    queryKey: [...statsKey(stitchId), span],
    queryFn: () => client.stitches.getStats(stitchId, { hours: Number(span) }),
    refetchInterval: ({ state }) => ((state.data?.replays.length ?? 0) > 0 ? replayingMs : refreshMs),
  });
  return (
    <Section
      title={texts.title}
      actions={
        <SegmentedControl
          size="xs"
          aria-label={texts.span}
          value={span}
          onChange={setSpan}
          data={spans.map(value => ({ value, label: texts.spans[value] }))}
        />
      }
    >
      <ErrorNote error={error} />
      {stats !== undefined && <Report stats={stats} />}
    </Section>
  );
}

function Report({ stats }: { readonly stats: StitchStats }) {
  const texts = useTexts().webhooks.health;
  const formats = useFormats();
  const { total, backlog, replays } = stats;
  const wait = useWait();
  const took = (ms: number | null): string => (ms === null ? '–' : `${formats.number(Math.round(ms))} ms`);
  return (
    <>
      <div className={classes['report']}>
        <Facts
          facts={[
            [texts.successRate, total.successRate === null ? '–' : formats.percent(total.successRate)],
            [texts.attempts, formats.number(total.attempts)],
            [texts.p50, took(total.p50Ms)],
            [texts.p95, took(total.p95Ms)],
            [texts.longestWait, total.longestWaitMs === null ? '–' : wait(total.longestWaitMs)],
            [texts.backlog, `${formats.number(backlog.count)}${backlog.more ? '+' : ''}`],
            [texts.oldest, <Time key="oldest" at={backlog.oldestSince} none={texts.nothingWaits} isExact />],
          ]}
        />
        <Sparkline stats={stats} />
      </div>
      {replays.map(replay => (
        <ReplayProgress key={replay.replayId} replay={replay} />
      ))}
    </>
  );
}

const minuteMs = 60_000;

/** A wait in words: seconds, or what is longer in minutes and hours. */
function useWait(): (ms: number) => string {
  const formats = useFormats();
  return ms => (ms < minuteMs ? `${formats.number(Math.round(ms / 100) / 10)} s` : formats.duration(ms));
}

/** In units of the drawing. */
const height = 40;
const step = 4;

/** A bar for each hour: what succeeded below, what failed above it. */
function Sparkline({ stats }: { readonly stats: StitchStats }) {
  const texts = useTexts().webhooks.health;
  const formats = useFormats();
  const bars = fillHours(stats);
  const most = Math.max(1, ...bars.map(({ attempts }) => attempts));
  const { attempts, succeeded } = stats.total;
  const wait = useWait();
  return (
    <svg
      className={classes['sparkline']}
      role="img"
      aria-label={texts.sparkline(formats.number(attempts), formats.number(attempts - succeeded))}
      viewBox={`0 0 ${bars.length * step} ${height}`}
      preserveAspectRatio="none"
    >
      {bars.map((bar, index) => {
        const good = (bar.succeeded / most) * height;
        const bad = ((bar.attempts - bar.succeeded) / most) * height;
        const place = { x: index * step, width: step - 1 };
        return (
          <g key={bar.hour}>
            <title>
              {texts.hour(
                formats.dateAndTime(bar.hour),
                formats.number(bar.attempts),
                formats.number(bar.attempts - bar.succeeded),
                bar.longestWaitMs === null ? undefined : wait(bar.longestWaitMs),
              )}
            </title>
            <rect {...place} y={0} height={height} className={classes['hour']} />
            <rect {...place} y={height - good} height={good} className={classes['good']} />
            <rect {...place} y={height - good - bad} height={bad} className={classes['bad']} />
          </g>
        );
      })}
    </svg>
  );
}

function ReplayProgress({ replay }: { readonly replay: StitchReplay }) {
  const texts = useTexts().webhooks.health;
  const formats = useFormats();
  const text = texts.replaying(
    formats.number(replay.replayed),
    replay.onlyFailed,
    formats.dateAndTime(replay.until),
  );
  return (
    <div className={classes['replay']} role="status">
      <Text size="sm">{text}</Text>
      <Progress animated value={findShareDone(replay) * 100} aria-label={text} />
    </div>
  );
}
