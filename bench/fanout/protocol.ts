/** What the servers of the fan-out benchmark share: the events, and how they obey. */
import { serveParent } from '../support/child.ts';

/** For a server: publish events for a while and answer how many, or collect garbage so that what is left is what the sockets hold. */
export type ServerTask =
  | { readonly do: 'publish'; readonly perSecond: number; readonly forMs: number }
  | { readonly do: 'settle' };

/** For the clients. */
export type ClientTask =
  | { readonly do: 'connect'; readonly url: string; readonly sockets: number; readonly resume: boolean }
  /** Answers how many events have arrived, once there are as many as `expected`, or 5 s later. */
  | { readonly do: 'count'; readonly expected: number };

export const projectId = 'prj_00000000000000000000000000';
export const path = `/v1/console/projects/${projectId}/events/stream`;

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
  let seq = 0;
  serveParent(async (task: ServerTask) => {
    if (task.do === 'settle') return globalThis.gc?.();
    const from = seq;
    const timer = setInterval(() => publish(++seq), 1_000 / task.perSecond);
    await new Promise(resolve => setTimeout(resolve, task.forMs));
    clearInterval(timer);
    return seq - from;
  });
  process.send?.(port);
}
