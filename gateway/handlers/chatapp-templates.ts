/** Message templates: the business account's list of them, and sending one in a thread. */
import type { OpenConnection } from '../../actors/channel/index.ts';
import {
  describeTemplate,
  findTemplate,
  findTemplateObstacle,
  type Graph,
  GraphError,
  listTemplates,
  type TemplatePage,
  type TemplateQuery,
  toParticipantName,
} from '../../actors/chatapp/index.ts';
import {
  decodeThread,
  type NewMessage,
  type SendMessage,
  type ThreadRow,
} from '../../actors/thread/index.ts';
import { invalid, notFound, ServiceError } from '../../protocol/errors.ts';
import { newId } from '../../protocol/ids.ts';
import type { chatappOperations } from '../../protocol/operations/index.ts';
import {
  type ChatappTemplate,
  defaultPageSize,
  type SendTemplateBody,
} from '../../protocol/resources/index.ts';
import type { Clock } from '../../runtime/time/index.ts';
import { TtlCache } from '../../storage/database/index.ts';
import type { Cursors } from '../../storage/paging/index.ts';
import { type ChannelHead, findThread } from '../../storage/reads/index.ts';
import { type Call, commitKey, type Handlers } from '../pipeline/index.ts';
import { getAuthor } from './caller.ts';
import {
  findConnection,
  type ProviderServices,
  reportLoss,
  requireChatapp,
  toServiceError,
} from './chatapp-connection.ts';

export interface TemplateServices extends ProviderServices {
  readonly clock: Clock;
  readonly cursors: Cursors;
}

type Operations = Pick<typeof chatappOperations, 'listChatappTemplates' | 'sendChatappTemplate'>;

/** How long a page or a template is kept, in milliseconds: the provider counts how often it is asked. */
const keptMs = 60_000;
/** One answer of the provider, in milliseconds. */
const answerMs = 10_000;

interface Asked<Query> {
  readonly open: OpenConnection;
  readonly query: Query;
}

interface TemplateName {
  readonly wabaId: string;
  readonly name: string;
  readonly language: string;
}

/** What the provider has said of templates within the last minute. Rejects with `GraphError`. */
class TemplateCache {
  readonly #pages: TtlCache<TemplatePage, Asked<TemplateQuery>>;
  readonly #templates: TtlCache<ChatappTemplate, Asked<TemplateName>>;

  constructor(graph: Graph, clock: Clock) {
    const getSignal = (): AbortSignal => AbortSignal.timeout(answerMs);
    this.#pages = new TtlCache({
      clock,
      maxAgeMs: keptMs,
      // A page has a hundred templates at most, of some kilobytes each.
      maxEntries: 50,
      load: ({ open, query }) => listTemplates(graph, open.as, query, getSignal()),
    });
    this.#templates = new TtlCache({
      clock,
      maxAgeMs: keptMs,
      maxEntries: 1_000,
      load: ({ open, query }) => findTemplate(graph, open.as, query, getSignal()),
    });
  }

  async list(channelId: string, open: OpenConnection, query: TemplateQuery): Promise<TemplatePage> {
    const page = await this.#pages.get(`${channelId} ${JSON.stringify(query)}`, { open, query });
    return page ?? { templates: [], next: undefined };
  }

  /** @param isAccepted whether what is kept will do; else the provider is asked again */
  async find(
    channelId: string,
    open: OpenConnection,
    query: TemplateName,
    isAccepted: (template: ChatappTemplate) => boolean,
  ): Promise<ChatappTemplate | undefined> {
    const key = `${channelId} ${JSON.stringify(query)}`;
    const kept = await this.#templates.get(key, { open, query });
    if (kept === undefined || isAccepted(kept)) return kept;
    this.#templates.invalidate(key);
    return this.#templates.get(key, { open, query });
  }
}

/** 404 for a channel of another tenant, 409 for one of another kind, or that is not connected. */
export function chatappTemplateHandlers(services: TemplateServices): Handlers<Operations> {
  const { node, channels, cursors, graph, clock } = services;
  const templates = new TemplateCache(graph, clock);

  return {
    listChatappTemplates: async call => {
      const { channelId } = call.params;
      await requireChatapp(call, channels, channelId);
      const { cursor, limit = defaultPageSize, name, status, category, language } = call.query;
      const open = await findConnection(services, call, channelId);
      if (open?.status !== 'connected') throw new ServiceError('svc/chatapp/channel_not_connected');
      const filter = { name, status, category, language };
      const { wabaId } = open.connection;
      const scope = `templates ${channelId} ${wabaId} ${JSON.stringify(filter)}`;
      const after = cursor === undefined ? undefined : String(cursors.decode(scope, cursor)[0]);
      try {
        const { templates: data, next } = await templates.list(channelId, open, {
          wabaId,
          limit,
          after,
          ...filter,
        });
        const nextCursor = next === undefined ? null : cursors.encode(scope, [next]);
        return { body: { data, nextCursor, hasMore: nextCursor !== null } };
      } catch (error) {
        if (!(error instanceof GraphError)) throw error;
        await reportLoss(services, call, channelId, open, error);
        throw toServiceError(error);
      }
    },

    sendChatappTemplate: async call => {
      const { channelId } = call.params;
      const { channel } = await requireChatapp(call, channels, channelId);
      const { projectId, environmentId } = channel;
      const { threadId } = call.body;
      await requireRecipient(services, channel, call.body);
      const json = await call.onceAsText(async key => {
        const command: SendMessage = {
          projectId,
          environmentId,
          message: await createMessage(services, templates, call, channelId),
          author: getAuthor(call),
          template: true,
          ...commitKey(key),
        };
        return node.ask<string>({ kind: 'thread', id: threadId }, 'send', command, call);
      });
      return { json };
    },
  };
}

/** 404 for a thread of another channel; 422 for a number that is not its participant's. */
async function requireRecipient(
  { database }: Pick<TemplateServices, 'database'>,
  channel: ChannelHead,
  { threadId, to }: SendTemplateBody,
): Promise<void> {
  const found = await findThread(database, channel, threadId);
  const thread = found === undefined ? undefined : decodeThread(found.row as ThreadRow);
  if (thread?.channelId !== channel.channelId) throw notFound('/body/threadId');
  if (to === undefined) return;
  const { phone, userId } = thread.participant?.attributes ?? {};
  if ([thread.externalRef, phone, userId].includes(toParticipantName(to))) return;
  const message = "is not the number of the thread's participant: create a thread for it";
  throw invalid([{ path: '/body/to', message, code: 'participant' }]);
}

type SendCall = Pick<Call, 'now' | 'requestId'> & { readonly body: SendTemplateBody };

/** 409 for a channel without a connection. */
async function createMessage(
  services: TemplateServices,
  templates: TemplateCache,
  call: SendCall,
  channelId: string,
): Promise<NewMessage> {
  const { templateName: name, language, components = [], metadata = {} } = call.body;
  const open = await findConnection(services, call, channelId);
  if (open === undefined) throw new ServiceError('svc/chatapp/channel_not_connected');
  const template = await requireTemplate(services, templates, call, channelId, open);
  return {
    messageId: newId('message', call.now),
    body: describeTemplate(template, name, components),
    attachments: [],
    metadata,
    details: { content: { type: 'template', name, language, components } },
  };
}

/** 422 where the provider would not send it. Undefined where the provider cannot be asked now: it will say so when it is sent. */
async function requireTemplate(
  services: TemplateServices,
  templates: TemplateCache,
  call: SendCall,
  channelId: string,
  open: OpenConnection,
): Promise<ChatappTemplate | undefined> {
  if (open.status !== 'connected') return undefined;
  const { templateName: name, language, components = [] } = call.body;
  const query = { wabaId: open.connection.wabaId, name, language };
  const findObstacle = (template: ChatappTemplate) => findTemplateObstacle(template, components);
  try {
    const isAccepted = (template: ChatappTemplate): boolean => findObstacle(template) === undefined;
    const template = await templates.find(channelId, open, query, isAccepted);
    const obstacle =
      template === undefined
        ? ({ field: 'templateName', message: 'names no template that there is in this language' } as const)
        : findObstacle(template);
    if (obstacle === undefined) return template;
    const { field, message } = obstacle;
    throw invalid([{ path: `/body/${field}`, message, code: 'template' }]);
  } catch (error) {
    if (!(error instanceof GraphError)) throw error;
    await reportLoss(services, call, channelId, open, error);
    services.log.info({ err: error, channelId, name }, 'a template is queued without having been looked up');
    return undefined;
  }
}
