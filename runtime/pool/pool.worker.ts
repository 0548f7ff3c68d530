/** The entry of the pool's worker threads: they send outbound requests for as long as they live. */
import type { MessagePort } from 'node:worker_threads';
import { workerData } from 'piscina';
import { OutboundClient } from '../outbound/client.ts';
import type { OutboundOptions, OutboundResult } from '../outbound/request.ts';
import type { FromWorker, ToWorker } from './worker-channel.ts';

/** Serves the requests of a channel until its port says `close`; resolves when the last of them is done. */
export function serve({ port }: { readonly port: MessagePort }): Promise<void> {
  const outbound = new OutboundClient(workerData as OutboundOptions);
  const cancels = new Map<number, () => void>();
  let ids: number[] = [];
  let results: OutboundResult[] = [];

  // All results of one turn of the event loop go back in one message.
  const flush = (): void => {
    const message: FromWorker = { ids, results };
    ids = [];
    results = [];
    port.postMessage(message);
  };
  const report = (id: number, result: OutboundResult): void => {
    cancels.delete(id);
    if (ids.length === 0) setImmediate(flush);
    ids.push(id);
    results.push(result);
  };

  return new Promise(resolve => {
    port.on('message', (message: ToWorker) => {
      switch (message.do) {
        case 'send':
          message.requests.forEach((request, index) => {
            const id = message.ids[index] ?? -1;
            let settled = false;
            const cancel = outbound.send(request, result => {
              settled = true;
              report(id, result);
            });
            if (!settled) cancels.set(id, cancel);
          });
          break;
        case 'cancel':
          cancels.get(message.id)?.();
          break;
        case 'close':
          void outbound.close().then(() => {
            setImmediate(() => {
              port.close();
              resolve();
            });
          });
          break;
        default:
          message satisfies never;
      }
    });
  });
}

/** Returns once the worker runs its code. */
export function ready(): void {
  // Nothing to do.
}
