/** What a channel keeps of its owner's reports: acknowledged commands, and receipts that came before their message was known. */
import type { Decision, Turn } from '../../runtime/actor.ts';
import { acknowledgeCommand, parkReceipt, type Write } from '../../storage/writes.ts';
import { requireOwn } from '../tenancy.ts';
import type { AcknowledgeCommand, ParkedReceipt, ParkReceipt } from './commands.ts';
import type { ChannelState } from './state.ts';

type ChannelDecision = Decision<ChannelState, null, Write>;

/** A parked receipt waits this long for its message, in milliseconds (decisions, section 4). */
export const parkedMs = 24 * 3_600_000;

/** After this long a parked receipt looks once by itself whether its message came while it was being parked. */
const secondLookMs = 60_000;

/** Takes a command off the list of open ones; doing it again changes nothing. 404 for another tenant's channel. */
export function acknowledge(state: ChannelState, command: AcknowledgeCommand, turn: Turn): ChannelDecision {
  requireOwn(state, command);
  const at = new Date(turn.now).toISOString();
  return {
    writes: [acknowledgeCommand({ eventId: command.eventId, channelId: turn.id, at })],
    reply: null,
  };
}

/**
 * Keeps a receipt for a message that nobody knows yet, for `parkedMs`, and sets the reminder that looks once more.
 * 404 for another
 * tenant's channel.
 */
export function park(state: ChannelState, command: ParkReceipt, turn: Turn): ChannelDecision {
  requireOwn(state, command);
  const { projectId, environmentId, externalMessageId, receipt } = command;
  return {
    writes: [
      parkReceipt({
        channelId: turn.id,
        externalMessageId,
        status: receipt.status,
        occurredAt: receipt.occurredAt,
        payload: receipt,
        expiresAt: new Date(turn.now + parkedMs).toISOString(),
      }),
    ],
    remind: [
      {
        key: `parked:${externalMessageId}`,
        at: turn.now + secondLookMs,
        command: 'applyParked',
        payload: { projectId, environmentId, externalMessageId } satisfies ParkedReceipt,
      },
    ],
    reply: null,
  };
}

/** The reminder of `park`: starts the task that looks for the message (receipts.ts). */
export function applyParked(_state: ChannelState, command: ParkedReceipt): ChannelDecision {
  return { effects: [{ do: 'perform', task: 'applyParked', payload: command }], reply: null };
}
