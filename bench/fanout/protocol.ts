/** What the processes of the fan-out benchmark say to each other. */

/** To a server. */
export type ServerTask =
  | { readonly do: 'publish'; readonly perSecond: number; readonly forMs: number }
  /** Collect garbage, so that what is left is what the sockets hold. */
  | { readonly do: 'settle' };

/** From a server. */
export type ServerMessage =
  | { readonly is: 'listening'; readonly port: number; readonly path: string }
  | { readonly is: 'published'; readonly events: number }
  | { readonly is: 'settled' };

/** To the clients. */
export type ClientTask =
  | { readonly do: 'connect'; readonly url: string; readonly sockets: number; readonly resume: boolean }
  /** How many events have arrived; answered once there are as many as `expected`, or 5 s later. */
  | { readonly do: 'count'; readonly expected: number };

/** From the clients. */
export type ClientMessage =
  | { readonly is: 'connected'; readonly sockets: number }
  | { readonly is: 'counted'; readonly events: number; readonly lost: number };

export const path = '/v1/console/projects/prj_00000000000000000000000000/events/stream';
export const projectId = 'prj_00000000000000000000000000';

/** An inbound message as it goes to a Console: some 750 bytes. */
export function envelope(seq: number): string {
  const at = new Date().toISOString();
  const suffix = String(seq).padStart(26, '0');
  const message = {
    messageId: `msg_${suffix}`,
    threadId: `thread_${suffix}`,
    projectId,
    direction: 'inbound',
    body: 'The quick brown fox jumps over the lazy dog, and says so at some length. '.repeat(3),
    status: null,
    attachments: [],
    metadata: {},
    createdAt: at,
  };
  return JSON.stringify({
    eventId: `evt_${suffix}`,
    eventName: 'thread.message.received',
    occurredAt: at,
    apiVersion: '2026-11-01',
    projectId,
    data: { environmentId: `env_${suffix}`, threadId: message.threadId, sequence: seq, message },
  });
}

/** Runs a server's tasks: `publish` sends one event, `seq` counts from 1. */
export function obey(port: number, publish: (seq: number) => void): void {
  const say = (message: ServerMessage): void => void process.send?.(message);
  let seq = 0;
  process.on('message', (task: ServerTask) => {
    if (task.do === 'settle') {
      globalThis.gc?.();
      say({ is: 'settled' });
      return;
    }
    const from = seq;
    const timer = setInterval(() => publish(++seq), 1_000 / task.perSecond);
    setTimeout(() => {
      clearInterval(timer);
      say({ is: 'published', events: seq - from });
    }, task.forMs);
  });
  process.on('disconnect', () => process.exit());
  say({ is: 'listening', port, path });
}
