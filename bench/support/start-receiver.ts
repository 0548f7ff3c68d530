/** Starts the receiver of webhooks and talks with it. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { ReceiverMessage, ReceiverOrder, ReceiverReport } from './receiver.ts';

export interface Receiver {
  readonly url: string;
  /** Waits for that many requests; gives the seconds from the first to the last. Rejects after `withinMs`, each. */
  expect(requests: number, withinMs: number, onBegun: () => void): Promise<number>;
  /** What came since `expect`. With secrets, the signature of every `sample`th request is verified: to `<url>/<n>` with the nth. */
  report(secrets: readonly string[], sample: number): Promise<ReceiverReport>;
  stop(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const child = fork(new URL('./receiver.ts', import.meta.url), { execPath: process.execPath });
  const give = (order: ReceiverOrder): void => void child.send(order);

  async function next<N extends ReceiverMessage['kind']>(
    name: N,
    withinMs: number,
  ): Promise<Extract<ReceiverMessage, { kind: N }>> {
    const signal = AbortSignal.timeout(withinMs);
    const [message] = (await once(child, 'message', { signal })) as [ReceiverMessage];
    if (message.kind !== name) throw new Error(`the receiver said ${message.kind}, not ${name}`);
    return message as Extract<ReceiverMessage, { kind: N }>;
  }

  const { port } = await next('listening', 10_000);
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    async expect(requests, withinMs, onBegun) {
      give({ do: 'expect', requests });
      await next('begun', withinMs);
      onBegun();
      return (await next('arrived', withinMs)).seconds;
    },
    async report(secrets, sample) {
      give({ do: 'report', secrets, sample });
      return (await next('report', 30_000)).report;
    },
    async stop() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
