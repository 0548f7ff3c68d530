/** Whether a chatapp channel can send and receive. */
import type { OpenConnection } from '../../actors/channel/index.ts';
import { checkReadiness, type ReadinessCheck } from '../../actors/chatapp/index.ts';
import type { chatappOperations } from '../../protocol/operations/index.ts';
import type { Call, Handlers } from '../pipeline/index.ts';
import {
  findConnection,
  getWebhookUrl,
  type ProviderServices,
  requireChatapp,
} from './chatapp-connection.ts';

export interface ReadinessServices extends ProviderServices {
  /** The public address of this service, without a slash at the end. */
  readonly baseUrl: string;
}

/** All questions together, in milliseconds: they are asked at once. */
const readinessMs = 15_000;

/** 404 for a channel of another tenant, 409 for one of another kind. */
export function chatappReadinessHandlers(
  services: ReadinessServices,
): Handlers<Pick<typeof chatappOperations, 'checkChatappReadiness'>> {
  return {
    checkChatappReadiness: async call => {
      const { channelId } = call.params;
      const { channel } = await requireChatapp(call, services.channels, channelId);
      const open = await findConnection(services, call, channelId);
      const checks = [...checkConnection(open), ...(await askProvider(services, call, channelId, open))];
      const ok = checks.every(each => each.ok);
      return { body: { channelId, projectId: channel.projectId, ok, checks } };
    },
  };
}

/** What is known here. The last step of connecting was that the provider challenged the address. */
function checkConnection(open: OpenConnection | undefined): ReadinessCheck[] {
  const connection = { id: 'connection', label: 'The channel is connected' };
  if (open === undefined) return [{ ...connection, ok: false, reason: 'Connect the channel.' }];
  const { status } = open;
  const reason = `The channel is ${status}: read its status, and connect it again.`;
  return [
    status === 'connected' ? { ...connection, ok: true } : { ...connection, ok: false, reason },
    { ...webhookVerified, ok: true, reason: describePost(open.postedAt) },
  ];
}

const webhookVerified = {
  id: 'webhook_verified',
  label: 'The provider has verified the address of the webhooks',
};

function describePost(at: string | undefined): string {
  return at === undefined
    ? 'It has posted nothing since the channel was connected: write to the number, and look again.'
    : `It last posted at ${at}, give or take a minute.`;
}

async function askProvider(
  { graph, node, baseUrl }: ReadinessServices,
  call: Pick<Call, 'now' | 'requestId'>,
  channelId: string,
  open: OpenConnection | undefined,
): Promise<ReadinessCheck[]> {
  if (open === undefined) return [];
  const { app, as, connection, status } = open;
  const { appId, wabaId, phoneNumberId } = connection;
  const callbackUrl = getWebhookUrl(baseUrl, channelId);
  const subject = { app, appId, as, wabaId, phoneNumberId, callbackUrl, now: call.now };
  const checks = await checkReadiness(graph, subject, AbortSignal.timeout(readinessMs));
  const isRefused = checks.some(({ id, ok }) => id === 'token_valid' && !ok);
  // What it has found out, the channel should know as well.
  if (isRefused && status === 'connected') {
    await node.ask({ kind: 'channel', id: channelId }, 'lookAtCredentials', {}, call);
  }
  return checks;
}
