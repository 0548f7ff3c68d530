/**
 * Events that are not in the log (typing, output as it is written), on their way to the Console streams of every node: by the
 * transport, at most once, to the nodes that follow the project. Whoever is not live misses them.
 */
import type { Transport } from '../../runtime/transport/transport.ts';

/** One such event. */
export interface Glimpse {
  readonly projectId: string;
  readonly environmentId: string;
  /** The envelope's text. */
  readonly body: string;
}

const topicOf = (projectId: string): string => `glimpses.${projectId}`;

/** Shows the event on every node, this one included. */
export function showGlimpse(
  transport: Pick<Transport, 'publish'>,
  { projectId, environmentId, body }: Glimpse,
): void {
  // The id holds no space: so the envelope travels as it is, and is parsed nowhere.
  transport.publish(topicOf(projectId), `${environmentId} ${body}`);
}

/** Calls the listener for each such event of the project, from any node, until the returned function is called. */
export function watchGlimpses(
  transport: Pick<Transport, 'subscribe'>,
  projectId: string,
  listener: (glimpse: Glimpse) => void,
): () => void {
  return transport.subscribe(topicOf(projectId), message => {
    const space = message.indexOf(' ');
    listener({ projectId, environmentId: message.slice(0, space), body: message.slice(space + 1) });
  });
}
