/** Starts the receiver that counts and talks with it. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { CountingAnswer, CountingOrder } from './counting-receiver.ts';

export interface CountingReceiver {
  /** Opens a port that answers at once; gives its address. */
  listen(): Promise<string>;
  /** Opens so many ports that accept and never answer. */
  listenSilently(ports: number): Promise<readonly string[]>;
  /** Requests so far. */
  count(): Promise<number>;
  /** Milliseconds from when each stamped message was to leave, of those that came since the last time; in order of size. */
  ages(): Promise<readonly number[]>;
  stop(): Promise<void>;
}

export async function startCountingReceiver(): Promise<CountingReceiver> {
  const child = fork(new URL('./counting-receiver.ts', import.meta.url), { execPath: process.execPath });
  await once(child, 'spawn');

  async function ask(order: CountingOrder): Promise<CountingAnswer> {
    child.send(order);
    const [answer] = (await once(child, 'message')) as [CountingAnswer];
    return answer;
  }

  async function open(order: CountingOrder): Promise<string[]> {
    return (await ask(order)).ports.map(port => `http://127.0.0.1:${port}/webhooks`);
  }

  return {
    async listen() {
      const [url = ''] = await open({ do: 'listen' });
      return url;
    },
    listenSilently: ports => open({ do: 'listenSilently', ports }),
    count: async () => (await ask({ do: 'count' })).requests,
    ages: async () => [...(await ask({ do: 'ages' })).ages].sort((a, b) => a - b),
    async stop() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
