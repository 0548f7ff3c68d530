/** How a thread sends. */
import type { Decision, Turn } from '../../runtime/actor.ts';
import type { MessageDryRun } from '../../protocol/resources/message.ts';
import type { Write } from '../../storage/writes.ts';
import { requireOwn, type Tenancy } from '../tenancy.ts';
import type { SendMessage } from './commands.ts';
import { Draft } from './draft.ts';
import { obstacle, post } from './outbound.ts';
import type { ThreadState } from './state.ts';
import { windowView } from './thread-text.ts';

/** The dry run: what `send` would say, without sending. */
export function checkSend(
  state: ThreadState,
  command: Tenancy,
  turn: Turn,
): Decision<ThreadState, MessageDryRun, Write> {
  requireOwn(state, command);
  const reason = obstacle(state, turn.now)?.code ?? null;
  return { reply: { allowed: reason === null, reason, serviceWindow: windowView(state, turn.now) } };
}

/** An outbound message is queued by this commit. Replies with its JSON text. */
export function send(
  state: ThreadState,
  command: SendMessage,
  turn: Turn,
): Decision<ThreadState, string, Write> {
  requireOwn(state, command);
  const refusal = obstacle(state, turn.now);
  if (refusal !== undefined) throw refusal;
  const draft = new Draft(state, turn);
  const { text, eventId } = post(draft, command.message, command.author);
  draft.remember(command.key, { messageOf: eventId });
  return draft.decide(text);
}
