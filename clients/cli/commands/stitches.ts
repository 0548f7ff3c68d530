/** `skein stitches`: webhooks, as the server sends them. For those of your own machine there is `skein listen`. */
import type { Stitch } from '../../sdk/index.ts';
import { stitchColumns } from '../columns.ts';
import { defineAsk, defineCommand, defineList, option, type Family } from '../command.ts';
import type { Context } from '../context.ts';
import { parseDuration, parseSince } from '../durations.ts';
import { collectPatterns } from '../event-filter.ts';

interface CreateOptions {
  readonly name?: string;
  readonly events?: readonly string[];
}

interface ReplayOptions {
  readonly since: string;
  readonly to?: string;
}

export const stitches: Family = {
  name: 'stitches',
  description: 'webhooks: list, create, test, rotate their secret, replay',
  commands: [
    defineList<Stitch>({
      usage: 'list',
      description: 'all stitches',
      columns: stitchColumns,
      list: skein => skein.stitches.list(),
    }),
    defineCommand<CreateOptions>({
      usage: 'create <url>',
      description: 'make one; its secret goes to stdout, once',
      options: [
        option('--name <name>', 'its name; default: the host of the address'),
        option('--events <pattern>', 'only these: thread.message.*; default: all', {
          parse: collectPatterns,
        }),
      ],
      async run(context, [webhookUrl = ''], { name, events: eventNames }) {
        const skein = await context.connect();
        const host = URL.canParse(webhookUrl) ? new URL(webhookUrl).host : webhookUrl;
        const made = await skein.stitches.create({ name: name ?? host, webhookUrl, eventNames });
        printSecret(context, made, `Made ${made.stitch.stitchId}. Its secret is shown this once:`);
      },
    }),
    defineAsk({
      usage: 'test <stitchId>',
      description: 'send it a test event',
      ask: (skein, [stitchId = '']) => skein.stitches.test(stitchId),
    }),
    defineCommand<{ readonly grace?: number }>({
      usage: 'rotate-secret <stitchId>',
      description: 'a new secret, on stdout, once',
      options: [
        option('--grace <time>', 'for how long the old one signs as well: 1h', { parse: parseDuration }),
      ],
      async run(context, [stitchId = ''], { grace }) {
        const skein = await context.connect();
        const gracePeriodSeconds = grace === undefined ? undefined : grace / 1_000;
        const made = await skein.stitches.rotateSecret(stitchId, { gracePeriodSeconds });
        printSecret(context, made, `The new secret of ${stitchId} is shown this once:`);
      },
    }),
    defineAsk<object, ReplayOptions>({
      usage: 'replay <stitchId>',
      description: 'deliver again what happened since then',
      options: [
        option('--since <when>', '10m, 2h, or an instant', { parse: parseSince, isRequired: true }),
        option('--to <stitchId>', 'to another stitch'),
      ],
      ask: (skein, [stitchId = ''], { since, to }) =>
        skein.stitches.replay(stitchId, { since, targetStitchId: to }),
    }),
  ],
};

/** The secret alone on stdout, so that it can be put where it belongs without being seen. */
function printSecret({ output }: Context, made: { readonly secret: string }, words: string): void {
  if (output.isJson) return output.json(made);
  output.say(words);
  output.line(made.secret);
}
