/** `skein trigger`: what participants, providers and time do, on a sandbox channel. */
import type { SimulateBody, Skein } from '../../sdk/index.ts';
import { defineCommand, option, type CommandDefinition, type Family } from '../command.ts';
import { parseCount } from '../durations.ts';
import { getSandboxChannel } from '../sandbox.ts';

interface TriggerOptions {
  readonly channel?: string;
  readonly repeat: number;
}

interface InboundOptions extends TriggerOptions {
  readonly body: string;
  readonly from?: string;
  readonly thread?: string;
}

const repeat = option('--repeat <count>', 'how many times', { parse: parseCount(1), preset: 1 });
const onChannel = [option('--channel <id>', 'the sandbox channel; default: the oldest one'), repeat];

/** A command that simulates something on the channel, and prints the ids of what that made. */
function defineSimulation<Options extends TriggerOptions = TriggerOptions>(
  usage: string,
  description: string,
  own: CommandDefinition['options'],
  simulate: (args: readonly string[], options: Options) => SimulateBody,
): CommandDefinition {
  return defineCommand<Options>({
    usage,
    description,
    options: [...own, ...onChannel],
    async run(context, args, options) {
      const skein = await context.connect();
      const channelId = await getSandboxChannel(skein, options.channel);
      for (let count = 0; count < options.repeat; count++) {
        const { threadId, messageId } = await skein.channels.simulate(channelId, simulate(args, options));
        context.output.fields({ channelId, threadId, messageId });
      }
    },
  });
}

const receipts = (['delivered', 'read', 'failed'] as const).map(event =>
  defineSimulation(
    `${event} <messageId>`,
    `the provider reports that a message is ${event}`,
    [],
    ([messageId]) => ({
      event,
      messageId,
    }),
  ),
);

export const trigger: Family = {
  name: 'trigger',
  description: 'make something happen on a sandbox channel',
  commands: [
    defineSimulation<InboundOptions>(
      'inbound',
      'a participant writes',
      [
        option('--body <text>', 'what', { preset: 'Hello from skein trigger' }),
        option('--from <ref>', 'who: your name for the participant'),
        option('--thread <id>', 'in this thread'),
      ],
      (_args, { body, from, thread }) => ({
        event: 'inbound',
        body,
        ...(thread === undefined
          ? { externalParticipantRef: from ?? 'skein-trigger' }
          : { threadId: thread }),
      }),
    ),
    ...receipts,
    defineSimulation(
      'window-expired <threadId>',
      'the service window of a thread ends',
      [],
      ([threadId]) => ({
        event: 'window_expired',
        threadId,
      }),
    ),
    defineCommand<{ readonly repeat: number }>({
      usage: 'ping <stitchId>',
      description: 'a stitch is sent a test event',
      options: [repeat],
      async run(context, [stitchId = ''], options) {
        const skein: Skein = await context.connect();
        for (let count = 0; count < options.repeat; count++) {
          const { deliveryId, eventId } = await skein.stitches.test(stitchId);
          context.output.fields({ stitchId, deliveryId, eventId });
        }
      },
    }),
  ],
};
