/** `skein threads`. */
import type { ListThreadsQuery, Message, Thread } from '../../sdk/index.ts';
import { messageColumns, threadColumns } from '../columns.ts';
import { defineAsk, defineCommand, defineList, option, type Family } from '../command.ts';
import { collect, parseCount } from '../durations.ts';
import { CliError, exitCodes } from '../failures.ts';
import { readStdin } from '../questions.ts';

type ThreadFilters = Pick<
  ListThreadsQuery,
  'status' | 'agentMode' | 'tag' | 'participantRef' | 'assigneeUserId' | 'channelId' | 'sort' | 'order'
>;

const filters = [
  option('--status <status...>', 'in this state, or in one of these', {
    choices: ['open', 'closed', 'archived'],
  }),
  option('--agent-mode <mode>', 'whom the agent answers', { choices: ['auto', 'suggest', 'paused', 'none'] }),
  option('--tag <tag>', 'with this tag; may be given several times', { parse: collect }),
  option('--participant-ref <ref>', 'of this participant'),
  option('--assignee-user-id <id>', 'of this member, or unassigned'),
  option('--channel-id <id>', 'of this channel'),
  option('--sort <field>', 'by what', { choices: ['lastMessageAt', 'createdAt', 'updatedAt'] }),
  option('--order <order>', 'in which order', { choices: ['asc', 'desc'] }),
];

export const threads: Family = {
  name: 'threads',
  description: 'threads: list, show, answer, close',
  commands: [
    defineList<Thread, ThreadFilters>({
      usage: 'list',
      description: 'threads, the last written in first',
      options: filters,
      columns: threadColumns,
      list: (
        skein,
        _args,
        { status, agentMode, tag, participantRef, assigneeUserId, channelId, sort, order },
      ) =>
        skein.threads.list({
          status,
          agentMode,
          tag,
          participantRef,
          assigneeUserId,
          channelId,
          sort,
          order,
        }),
    }),
    defineCommand<{ readonly messages: number }>({
      usage: 'show <threadId>',
      description: 'a thread and its last messages',
      options: [option('--messages <count>', 'how many', { parse: parseCount(0), preset: 10 })],
      async run(context, [threadId = ''], options) {
        const skein = await context.connect();
        const { output } = context;
        const thread = await skein.threads.get(threadId);
        const newestFirst =
          options.messages === 0
            ? []
            : await skein.messages.list(threadId, { order: 'desc' }).toArray(options.messages);
        const messages = newestFirst.reverse();
        if (output.isJson) return output.json({ ...thread, messages });
        output.fields(thread);
        if (messages.length === 0) return;
        output.line('');
        await output.list(messages, messageColumns);
      },
    }),
    defineAsk<Message, { readonly idempotencyKey?: string }>({
      usage: 'send <threadId> <body>',
      description: 'answer; - reads the body from stdin',
      options: [option('--idempotency-key <key>', 'the message is sent once')],
      examples:
        '  skein threads send thread_01... "On its way."\n  git log -1 | skein threads send thread_01... -',
      ask: async (skein, [threadId = '', given = ''], { idempotencyKey }) => {
        const body = given === '-' ? (await readStdin()).trimEnd() : given;
        if (body === '') throw new CliError('There is nothing to send.', exitCodes.usage);
        return skein.messages.create(threadId, { body }, { idempotencyKey });
      },
    }),
    defineAsk({
      usage: 'close <threadId>',
      description: 'close it; the next message of its participant opens it again',
      ask: (skein, [threadId = '']) => skein.threads.update(threadId, { status: 'closed' }),
      fields: ({ threadId, status }) => ({ threadId, status }),
    }),
  ],
};
