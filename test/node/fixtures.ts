/** An environment with one of everything, and requests about any of it. */
import { newId, type Resource } from '../../protocol/ids.ts';
import type { Operation } from '../../protocol/operation.ts';
import { operations, type OperationId } from '../../protocol/operations/table.ts';
import type { AgentRun } from '../../protocol/resources/agent.ts';
import type { AttachmentUpload } from '../../protocol/resources/attachment.ts';
import type { CannedReply } from '../../protocol/resources/canned-reply.ts';
import type { ChannelCommand } from '../../protocol/resources/channel.ts';
import type { WebhookDelivery } from '../../protocol/resources/delivery.ts';
import type { Message } from '../../protocol/resources/message.ts';
import type { ThreadNote } from '../../protocol/resources/note.ts';
import type { PartnerAppCredential } from '../../protocol/resources/partner-app.ts';
import type { WorkspaceInvitation } from '../../protocol/resources/workspace.ts';
import type { Asked, Client, ListOf } from './client.ts';
import { sample, type Field, type Schema } from './sample.ts';
import { newStitch, type Tenant } from './tenant.ts';
import { eventually } from '../support/eventually.ts';

/** One of each resource that operations name by id, and a channel of the sandbox kind. */
export type Fixtures = Partial<Record<Resource | 'simulated', string>>;

/** Fills an environment with one of everything. */
export async function createFixtures(
  tenant: Tenant,
  key: Client,
  environmentId: string,
  webhookUrl: string,
): Promise<Fixtures> {
  const { projectId } = tenant;
  const { channelId } = await key.get<{ channelId: string }>('createChannel', {
    body: { projectId, environmentId, name: 'Furnished', kind: 'custom' },
  });
  const simulated = await key.get<{ channelId: string }>('createChannel', {
    body: { projectId, environmentId, name: 'Simulated', kind: 'sandbox' },
  });
  const { stitchId } = await newStitch({ key, projectId }, webhookUrl);
  const { threadId } = await key.get<Message>('createInboundMessage', {
    params: { channelId },
    body: { projectId, externalParticipantRef: 'ada', body: 'hello' },
  });
  const { messageId } = await key.get<Message>('createMessage', {
    params: { threadId },
    body: { projectId, body: 'hi' },
  });
  const { threadNoteId } = await key.get<ThreadNote>('createNote', {
    params: { threadId },
    body: { projectId, body: 'to self' },
  });
  const { cannedReplyId } = await tenant.person.get<CannedReply>('createCannedReply', {
    body: { projectId, shortcut: `/${environmentId}`, title: 'Greeting', body: 'Hello' },
  });
  const { attachmentId } = await key.get<AttachmentUpload>('createAttachment', {
    body: { projectId, environmentId, filename: 'cat.png', mimeType: 'image/png', sizeBytes: 3 },
  });
  const { invitationId } = await tenant.person.get<WorkspaceInvitation>('createInvitation', {
    params: { workspaceId: tenant.workspaceId },
    body: { email: `guest-${environmentId}@example.com` },
  });
  const { partnerAppCredentialId } = await tenant.person.get<PartnerAppCredential>('createPartnerApp', {
    body: { workspaceId: tenant.workspaceId, name: 'App', appId: '1', appSecret: 'a secret of some length' },
  });
  const { byokCredentialId } = await tenant.person.get<{ byokCredentialId: string }>('createByokCredential', {
    body: {
      projectId,
      environmentId,
      provider: 'llm_provider_1',
      displayName: 'Key',
      secret: 'a secret of some length',
    },
  });
  const { toolId } = await key.get<{ toolId: string }>('createTool', {
    body: { projectId, name: 'Tool', url: webhookUrl },
  });
  const { loomId, activeVersionId } = await key.get<{ loomId: string; activeVersionId: string }>(
    'createLoom',
    {
      body: {
        projectId,
        name: 'Loom',
        systemPrompt: 'Answer.',
        provider: 'llm_provider_1',
        model: 'model-1',
      },
    },
  );
  const { agentId } = await key.get<{ agentId: string }>('createAgent', {
    body: { projectId, name: 'Agent', loomId },
  });
  const { agentRunId } = await key.get<AgentRun>('createAgentRun', {
    params: { agentId },
    body: { projectId, threadId },
  });
  // No model answers here. What comes of that is written down before anything is compared.
  await eventually('end of the run', async () => {
    const { status } = await key.get<AgentRun>('getAgentRun', { params: { agentRunId } });
    return status === 'failed';
  });
  const commands = await key.get<ListOf<ChannelCommand>>('listChannelCommands', { params: { channelId } });
  const { deliveryId } = await key.get<WebhookDelivery>('testStitch', {
    params: { stitchId },
    body: { projectId },
  });
  return {
    project: projectId,
    environment: environmentId,
    channel: channelId,
    stitch: stitchId,
    thread: threadId,
    message: messageId,
    delivery: deliveryId,
    event: commands.data[0]?.eventId ?? '',
    note: threadNoteId,
    cannedReply: cannedReplyId,
    attachment: attachmentId,
    byok: byokCredentialId,
    tool: toolId,
    loom: loomId,
    loomVersion: activeVersionId,
    agent: agentId,
    run: agentRunId,
    invitation: invitationId,
    partnerApp: partnerAppCredentialId,
    simulated: simulated.channelId,
  };
}

/** What the schema cannot say: on which channels it works, which event is about what, and that a message holds something. */
function withUnsaid(id: OperationId, least: Asked, own: Fixtures, field: Field): Asked {
  const body = least.body as object;
  switch (id) {
    case 'simulateSandbox': {
      const event = field.name === 'messageId' ? 'delivered' : 'window_expired';
      return { ...least, params: { channelId: own.simulated ?? '' }, body: { ...body, event } };
    }
    case 'createCannedReply':
      return { ...least, body: { ...body, shortcut: '/thanks' } };
    case 'createMessage':
      return { ...least, body: { ...body, body: 'hello' } };
    default:
      return least;
  }
}

/** Whether the query names a project: in some operations the path does. */
const takesProject = (id: OperationId): boolean =>
  'projectId' in (((operations[id] as Operation).query as Schema | undefined)?.properties ?? {});

/** The least that an operation takes, of what is in an environment, with a value of its own in one field. */
export function requestWith(id: OperationId, own: Fixtures, field: Field, value: string): Asked {
  const least = sample(operations[id], resource => own[resource] ?? newId(resource));
  const request = withUnsaid(id, least, own, field);
  // A message is named together with its thread.
  const thread = field.name === 'inputMessageId' ? { threadId: own.thread } : {};
  // An environment is named together with its project, where neither has to be.
  const isNamedBoth = field.part === 'query' && field.name === 'environmentId' && takesProject(id);
  const project = isNamedBoth ? { projectId: own.project } : {};
  return {
    ...request,
    [field.part]: { ...(request[field.part] as object), ...project, ...thread, [field.name]: value },
  };
}
