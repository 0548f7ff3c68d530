/** A node with a tenant that has one of everything, for tests that send it what it should refuse. */
import type { Test } from 'tap';
import { newId, type Resource } from '../../protocol/ids.ts';
import type { Operation } from '../../protocol/operation.ts';
import { operations, type OperationId } from '../../protocol/operations/table.ts';
import type { Message } from '../../protocol/resources/message.ts';
import { startTestDatabase } from '../support/database.ts';
import { NodeProcess } from '../support/node-process.ts';
import { ContractBroken, Line, type Asked, type Client, type Reply } from './client.ts';
import { sample } from './sample.ts';
import { keepsSecrets } from './secrets.ts';
import { newStitch, signUp } from './tenant.ts';

/** What may be tried without the test losing what it stands on. */
export const tried = (Object.entries(operations) as [OperationId, Operation][]).filter(
  ([id, { auth }]) =>
    !['stream', 'refresh'].includes(auth) && !['logout', 'revokeApiKey', 'archiveStitch'].includes(id),
);

/** Asks, and notes an answer that is not of the contract or, where `statuses` has any, not of those. */
export async function note(
  faults: string[],
  name: string,
  statuses: readonly number[],
  ask: () => Promise<Reply<unknown>>,
) {
  try {
    const { status, text } = await ask();
    if (statuses.length > 0 && !statuses.includes(status))
      faults.push(`${name}: ${status} ${text.slice(0, 300)}`);
  } catch (error) {
    if (!(error instanceof ContractBroken)) throw error;
    faults.push(`${name}: ${error.message.slice(0, 400)}`);
  }
}

/** Starts the node; it ends with the test. */
export async function startTarget(t: Test) {
  const { url } = await startTestDatabase(t);
  const node = await NodeProcess.make(t, { DATABASE_URL: url, ALLOW_PRIVATE_ADDRESSES: 'true' });
  await node.start();
  const line = new Line(node.url, t);
  const tenant = await signUp(line);
  const { key, person, projectId, environmentId, workspaceId, userId, apiKeyId, channelId } = tenant;
  const { threadId, messageId } = await key.get<Message>('createInboundMessage', {
    params: { channelId },
    body: { projectId, externalParticipantRef: 'ada', body: 'hello' },
  });
  const { stitchId } = await newStitch(tenant, 'http://127.0.0.1:2/');
  const { deliveryId } = await key.get<{ deliveryId: string }>('testStitch', {
    params: { stitchId },
    body: { projectId },
  });

  const { loomId } = await key.get<{ loomId: string }>('createLoom', {
    body: {
      projectId,
      name: 'Loom',
      systemPrompt: 'Answer.',
      provider: 'llm_provider_1',
      model: 'model-1',
    },
  });

  /** Its ids, by what they name. */
  const own: Partial<Record<Resource, string>> = {
    project: projectId,
    environment: environmentId,
    workspace: workspaceId,
    user: userId,
    apiKey: apiKeyId,
    channel: channelId,
    thread: threadId,
    message: messageId,
    stitch: stitchId,
    delivery: deliveryId,
    loom: loomId,
  };
  /** A request of the operation that is good. */
  const good = (operation: Operation): Asked =>
    sample(operation, (resource: Resource) => own[resource] ?? newId(resource));
  /** Who may call the operation. */
  const getCaller = ({ access }: Operation): Client =>
    access === undefined || access.scopes === null ? person : key;
  /** That the node serves, and has no fault to report: the last thing that a test asks. */
  const assertHealthy = async (last: Test): Promise<void> => {
    last.equal((await key.send('GET', '/readyz')).status, 200);
    last.same(
      node.lines.filter(({ level }) => level >= 50),
      [],
    );
    keepsSecrets(last, node.output, line);
  };
  return { tenant, threadId, good, getCaller, assertHealthy };
}
