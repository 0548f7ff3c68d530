/** `skein tail`: events as they happen, a line each. */
import type { Skein } from '../../sdk/index.ts';
import { defineCommand, option } from '../command.ts';
import { createInterruptSignal, type Context } from '../context.ts';
import { parseSince } from '../durations.ts';
import { checkPatterns, createEventFilter, parseThreadId, type EventFilter } from '../event-filter.ts';
import { formatEvent } from '../event-text.ts';
import { readBacklog } from '../listen/backlog.ts';
import { toPrintable, toSafeJson } from '../output.ts';

interface TailOptions {
  readonly thread?: string;
  readonly since?: string;
  readonly ephemeral?: boolean;
}

export const tail = defineCommand<TailOptions>({
  usage: 'tail [pattern...]',
  description: 'follow events as they happen; patterns as thread.message.*',
  options: [
    option('--thread <id>', 'only those of this thread', { parse: parseThreadId }),
    option('--since <when>', 'first those since then: 10m, 2h, or an instant', { parse: parseSince }),
    option('--ephemeral', 'also typing, viewers, and output while it is written'),
  ],
  examples: "  skein tail 'thread.message.*' --since 10m\n  skein tail --json | jq .eventName",
  async run(context, patterns, options) {
    const isWanted = createEventFilter({ patterns, threadId: options.thread });
    const skein = await context.connect();
    await checkPatterns(skein, patterns);
    await follow(context, skein, isWanted, options);
  },
});

async function follow(
  context: Context,
  skein: Skein,
  isWanted: EventFilter,
  options: TailOptions,
): Promise<void> {
  const { output } = context;
  const signal = createInterruptSignal();
  const onDisconnect = ({ reason }: { readonly reason: string }): void =>
    output.say(`Disconnected${reason === '' ? '' : ` (${toPrintable(reason)})`}; trying again.`);
  // Of the events before the stream's first, those that it also has.
  const printed = new Set<string>();
  let hasBegun = false;
  const { environment: environmentId } = context.options;
  for await (const item of skein.stream({ environmentId, signal, onDisconnect })) {
    if (item.type === 'reset')
      output.say(`Events were missed: the stream began anew (${toPrintable(item.reason)}).`);
    if (item.type === 'resumed' && !hasBegun) {
      hasBegun = true;
      output.say('Following. Ctrl-C ends.');
      if (options.since !== undefined) await printBacklog(context, skein, isWanted, options.since, printed);
    }
    if (item.type === 'event' && isWanted(item.event) && !printed.delete(item.event.eventId)) {
      output.line(output.isJson ? toSafeJson(item.raw) : formatEvent(output, item.event));
    }
    if (item.type === 'ephemeral' && options.ephemeral === true && isWanted(item.event)) {
      if (output.isJson) output.json(item.event);
      else output.line(formatEvent(output, item.event));
    }
  }
}

async function printBacklog(
  { output }: Context,
  skein: Skein,
  isWanted: EventFilter,
  since: string,
  printed: Set<string>,
): Promise<void> {
  const { events, isComplete } = await readBacklog(skein, since);
  if (!isComplete) output.say('There are more, which are left out.');
  for (const event of events.filter(isWanted)) {
    printed.add(event.eventId);
    if (output.isJson) output.json(event);
    else output.line(formatEvent(output, event));
  }
}
