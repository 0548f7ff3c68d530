/** The figures of a fault in its own unit, and spans of time that are short. */
import type { Formats } from '../../kit/formats.ts';
import type { SystemFault } from '../../sdk/index.ts';

const minuteMs = 60_000;

/** Milliseconds, or seconds with a digit, or what is longer in minutes and hours. */
export function formatSpan(ms: number, formats: Formats): string {
  if (ms < 1_000) return `${formats.number(Math.round(ms))} ms`;
  if (ms < minuteMs) return `${formats.number(Math.round(ms / 100) / 10)} s`;
  return formats.duration(ms);
}

/** Undefined: it is no number that is wrong. */
export function formatFigure({ name, value }: SystemFault, formats: Formats): string | undefined {
  if (value === null) return undefined;
  switch (name) {
    case 'SkeinErrors':
    case 'SkeinModelsFail':
    case 'SkeinChatappFails':
    case 'SkeinMailsFail':
      return formats.percent(value);
    case 'SkeinCommitsSlow':
    case 'SkeinWebhooksLate':
      return formatSpan(value, formats);
    case 'SkeinNodeBusy':
    case 'SkeinClockOff':
    case 'SkeinSnapshotOld':
    case 'SkeinTokensExpire':
      return formatSpan(Math.max(0, value * 1_000), formats);
    default:
      return formats.number(value);
  }
}
