// @ts-check
/**
 * Sends messages over gRPC, each to the node that owns its thread. Reads them as lines of JSON from standard input, and prints a line of
 * JSON for each.
 *
 *   echo '{"participant":"customer-45","body":"Hello"}' | SERVICE_TOKEN=... PROJECT=... ENVIRONMENT=... CHANNEL=... node main.mjs
 *
 * SKEIN_GRPC is the address of a node, or several, separated by commas. Node 20 or newer.
 */
import { createInterface } from 'node:readline';
import { TokenAwareClient } from './client.mjs';

const { PROJECT, ENVIRONMENT, CHANNEL, SERVICE_TOKEN = '', SKEIN_GRPC = '127.0.0.1:9090' } = process.env;
/** Messages on their way at once. */
const atOnce = 256;

const client = new TokenAwareClient({
  seeds: SKEIN_GRPC.split(','),
  token: SERVICE_TOKEN,
  onMap: ({ nodes }) =>
    console.error(nodes.map(({ id, shards }) => `${id}: ${shards.length} shards`).join(', ')),
});

/** @param {{ readonly participant?: string, readonly threadId?: string, readonly body: string }} line */
async function send({ participant, threadId, body }) {
  const common = { projectId: PROJECT, environmentId: ENVIRONMENT, body };
  try {
    const { message, node } =
      threadId === undefined
        ? await client.ingest({ ...common, channelId: CHANNEL, externalParticipantRef: participant })
        : await client.send({ ...common, threadId });
    console.log(
      JSON.stringify({ threadId: message['threadId'], messageId: message['messageId'], node, body }),
    );
  } catch (error) {
    process.exitCode = 1;
    console.error(error instanceof Error ? error.message : error);
  }
}

/** @type {Set<Promise<void>>} */
const onTheirWay = new Set();
for await (const line of createInterface({ input: process.stdin })) {
  const sending = send(JSON.parse(line)).finally(() => onTheirWay.delete(sending));
  onTheirWay.add(sending);
  if (onTheirWay.size >= atOnce) await Promise.race(onTheirWay);
}
await Promise.all(onTheirWay);
client.close();
