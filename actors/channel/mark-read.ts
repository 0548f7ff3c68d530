/** Shows a participant that their messages were read, and that somebody answers: at once or never. */
import { GraphError, markRead as markReadAt } from '../chatapp/index.ts';
import type { MarkRead } from './commands.ts';
import { createLoss, openConnection } from './credentials.ts';
import type { Pacer } from './pacer.ts';
import type { ReceiptServices } from './receipts.ts';
import type { SendServices } from './send.ts';

const callMs = 10_000;

type MarkServices = Pick<SendServices, 'db' | 'vault' | 'ownApp' | 'graph' | 'log' | 'abandoned'> &
  Pick<ReceiptServices, 'ask'> & { readonly pacer: Pacer; readonly now: () => number };

export async function markRead(
  services: MarkServices,
  channelId: string,
  { externalMessageId, typing }: MarkRead,
): Promise<void> {
  const { graph, pacer, log, now, abandoned, ask } = services;
  if (typing && !pacer.mayShowTyping(externalMessageId, now())) return;
  const open = await openConnection(services, channelId, now());
  if (open?.status !== 'connected') return;
  const { as, connection } = open;
  const signal = AbortSignal.any([AbortSignal.timeout(callMs), abandoned]);
  try {
    await markReadAt(graph, as, connection.phoneNumberId, { externalMessageId, typing }, signal);
  } catch (err) {
    if (!(err instanceof GraphError)) throw err;
    log.debug({ err, channelId }, 'the chat provider did not take a mark');
    const loss = createLoss(open, err);
    if (loss !== undefined) await ask({ kind: 'channel', id: channelId }, 'loseConnection', loss);
  }
}
