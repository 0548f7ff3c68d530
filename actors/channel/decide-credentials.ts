/**
 * What a connected channel knows of its token, and when it looks again. A look asks the provider outside of any turn (look.ts):
 *
 *   lookAtCredentials   the reminder, or a hint: the look begins
 *   credentialsSeen     the token is good: it was renewed, or ends soon, or there is nothing to say
 *   loseConnection      the token is refused, or the account is gone (decide-connection.ts); said by whatever has asked the provider
 *
 * The reminder is set again when the look begins, so that one which a crash has ended is made again. What the owners have to be mailed is
 * a reminder, too, which stays until the mail is queued.
 */
import type { ChannelChange } from '../../protocol/resources/index.ts';
import type { Reminder, Turn } from '../../runtime/actor/index.ts';
import { requireSameTenancy, systemActor } from '../base/index.ts';
import type { ChannelNotice, CredentialsSeen, OwnersTold } from './commands.ts';
import { type ChannelDecision, createChange, getEventId } from './decide.ts';
import { type ChannelState, toChannel } from './state.ts';

/** The key of the reminder for the next look. */
export const lookReminder = 'credentials';

const dayMs = 86_400_000;
/** A look that did not end, or that the provider did not answer, is made again after this time. */
const lookAgainMs = 3_600_000;
/** So is a mail that could not be queued: its task retries it sooner, unless the node ends. */
const tellAgainMs = 600_000;

/** How many days before the token's end its owners are told, the last time first. */
const warningDays = [1, 7] as const;

/** The next look: after a day, or earlier where there is something to tell by then. */
export function remindOfLook(now: number, tokenExpiresAt: string | null): Reminder {
  const end = tokenExpiresAt === null ? Infinity : Date.parse(tokenExpiresAt);
  const moments = [end, ...warningDays.map(days => end - days * dayMs)].filter(at => at > now);
  return createReminder(Math.min(now + dayMs, ...moments));
}

/** Of a new connection: at once where its token ends so soon that the owners have to know. */
export function remindOfFirstLook(now: number, tokenExpiresAt: string | null): Reminder {
  return findWarning(now, tokenExpiresAt) === undefined
    ? remindOfLook(now, tokenExpiresAt)
    : createReminder(now);
}

function createReminder(at: number): Reminder {
  return { key: lookReminder, at, command: 'lookAtCredentials', payload: {} };
}

export function lookAtCredentials(
  { status }: ChannelState,
  _command: Readonly<Record<string, never>>,
  turn: Turn,
): ChannelDecision<null> {
  if (status !== 'connected') return { reply: null };
  return {
    remind: [createReminder(turn.now + lookAgainMs)],
    effects: [{ do: 'perform', task: 'lookAtCredentials', payload: {} }],
    reply: null,
  };
}

/** The number of days of the warning that is due; undefined: none. */
function findWarning(now: number, tokenExpiresAt: string | null, warnedDays = Infinity): number | undefined {
  if (tokenExpiresAt === null) return undefined;
  const left = Date.parse(tokenExpiresAt) - now;
  return warningDays.find(days => left <= days * dayMs && days < warnedDays);
}

/** A connection that has another token by now stays as it is. */
export function credentialsSeen(
  state: ChannelState,
  command: CredentialsSeen,
  turn: Turn,
): ChannelDecision<null> {
  requireSameTenancy(state, command);
  const { status, chatapp } = state;
  const connection = chatapp?.connection ?? null;
  if (chatapp === null || connection === null || status !== 'connected') return { reply: null };
  if (connection.accessToken !== command.accessToken) return { reply: null };
  const { tokenExpiresAt, renewed } = command;
  const remind = [remindOfLook(turn.now, tokenExpiresAt)];
  const { warnedDays, ...seen } = { ...connection, tokenExpiresAt };
  if (renewed !== undefined) {
    const next = { ...state, chatapp: { ...chatapp, connection: { ...seen, accessToken: renewed } } };
    const announced = announce(next, turn, 'channel.credential.renewed', tokenExpiresAt);
    return { ...announced, remind, reply: null };
  }
  const due = findWarning(turn.now, tokenExpiresAt, warnedDays);
  const warned = due ?? warnedDays;
  const kept = { ...seen, ...(warned === undefined ? {} : { warnedDays: warned }) };
  const next = { ...state, chatapp: { ...chatapp, connection: kept } };
  if (due === undefined) return { state: next, remind, reply: null };
  const announced = announce(next, turn, 'channel.credential.expiring', tokenExpiresAt);
  const notice = remindOfNotice(announced.state, turn, { reason: 'expiring', message: null });
  return { ...announced, remind: [...remind, notice], reply: null };
}

/** The event about the channel's token. */
export function announce(
  state: ChannelState,
  turn: Turn,
  eventName: ChannelChange['eventName'],
  expiresAt: string | null,
) {
  const next: ChannelState = { ...state, events: state.events + 1 };
  const members = { channel: toChannel(next, turn.id), expiresAt };
  return { state: next, writes: createChange(next, turn, eventName, { actor: systemActor, members }) };
}

/** A mail to the owners that says the same as the last event of `state`. */
export function remindOfNotice(
  state: ChannelState,
  turn: Turn,
  { reason, message }: Pick<ChannelNotice, 'reason' | 'message'>,
): Reminder {
  const { projectId, name, chatapp } = state;
  const notice: ChannelNotice = {
    eventId: getEventId(state, turn),
    projectId,
    channelId: turn.id,
    name,
    reason,
    expiresAt: chatapp?.connection?.tokenExpiresAt ?? null,
    message,
  };
  return createNoticeReminder(notice, turn.now);
}

function createNoticeReminder(notice: ChannelNotice, at: number): Reminder {
  return { key: `notice:${notice.eventId}`, at, command: 'tellOwners', payload: notice };
}

/** The reminder: its task queues the mail, and reports `ownersTold`. */
export function tellOwners(_state: ChannelState, notice: ChannelNotice, turn: Turn): ChannelDecision<null> {
  return {
    remind: [createNoticeReminder(notice, turn.now + tellAgainMs)],
    effects: [{ do: 'perform', task: 'tellOwners', payload: notice }],
    reply: null,
  };
}

export function ownersTold(_state: ChannelState, { eventId }: OwnersTold): ChannelDecision<null> {
  return { forget: [`notice:${eventId}`], reply: null };
}
