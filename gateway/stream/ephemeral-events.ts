/**
 * Events that are not in the log (typing, an agent's output while it is written). The transport carries them to the nodes that follow
 * the project, at most once. Sockets that are not live miss them.
 */
import type { Transport } from '../../runtime/transport/index.ts';

export interface EphemeralEvent {
  readonly projectId: string;
  readonly environmentId: string;
  /** The envelope's text. */
  readonly body: string;
}

/** Part of the protocol between nodes: the name stays. */
const toTopic = (projectId: string): string => `glimpses.${projectId}`;

/** Publishes the event to every node, this one included. */
export function publishEphemeral(
  transport: Pick<Transport, 'publish'>,
  { projectId, environmentId, body }: EphemeralEvent,
): void {
  // The id contains no space, so the envelope travels as it is.
  transport.publish(toTopic(projectId), `${environmentId} ${body}`);
}

/** Calls the listener for each such event of the project, from any node, until the returned function is called. */
export function subscribeEphemeral(
  transport: Pick<Transport, 'subscribe'>,
  projectId: string,
  listener: (event: EphemeralEvent) => void,
): () => void {
  return transport.subscribe(toTopic(projectId), message => {
    const space = message.indexOf(' ');
    listener({ projectId, environmentId: message.slice(0, space), body: message.slice(space + 1) });
  });
}
