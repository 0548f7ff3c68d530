/** `skein messages`. */
import type { Message } from '../../sdk/index.ts';
import { messageColumns } from '../columns.ts';
import { defineCommand, defineList, option, type Family } from '../command.ts';

export const messages: Family = {
  name: 'messages',
  description: 'messages: list; all that happened to one',
  commands: [
    defineList<Message, { readonly order?: 'asc' | 'desc' }>({
      usage: 'list <threadId>',
      description: 'the messages of a thread, in their order',
      options: [option('--order <order>', 'which first', { choices: ['asc', 'desc'] })],
      columns: messageColumns,
      list: (skein, [threadId = ''], { order }) => skein.messages.list(threadId, { order }),
    }),
    defineCommand({
      usage: 'timeline <threadId> <messageId>',
      description: 'all that happened to a message: events, runs of agents, webhooks',
      async run(context, [threadId = '', messageId = '']) {
        const { output } = context;
        const timeline = await (await context.connect()).messages.timeline(threadId, messageId);
        if (output.isJson) return output.json(timeline);
        for (const { occurredAt, eventName, eventId } of timeline.events) {
          output.line([occurredAt, eventName, eventId].join('\t'));
        }
        for (const { createdAt, deliveryId, stitchName, status, responseStatus } of timeline.deliveries) {
          output.line(
            [createdAt, `webhook ${status}`, deliveryId, responseStatus ?? '-', stitchName ?? '-'].join('\t'),
          );
        }
      },
    }),
  ],
};
