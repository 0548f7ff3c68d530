/**
 * When a chatapp channel does its work: one task at a time of each sort (state.ts), so that what it works through stays in its order.
 *
 *   idle -> working    a hint, a reminder, or the recovery scanner (gateway/jobs)
 *   working -> more    another one meanwhile
 *   more -> working    the task has ended; so has one that leaves more to do
 *   working -> idle    the task has ended, or found no room on the node (turns.ts): what is to do is rows, which the recovery scanner finds
 *
 * A task reports its end until the channel has taken the report: nothing else would begin the next one. A reload of the actor forgets that
 * a task runs, and so does another owner; a report may come twice if its first answer was lost. Two tasks may then run at once for a while.
 * Both do the same work in the same order, from the same rows.
 */
import type { Turn } from '../../runtime/actor/index.ts';
import { reopenWebhook as reopen } from '../../storage/writes/index.ts';
import type { DoWork, ReopenWebhook, WorkDone, WorkTask } from './commands.ts';
import type { ChannelDecision } from './decide.ts';
import type { ChannelState, Work } from './state.ts';

/** When the provider posts is told once in so many milliseconds: each time is a commit. */
const postedMs = 60_000;

export function work(
  state: ChannelState,
  { work: sort, isPosted = false }: DoWork,
  turn: Turn,
): ChannelDecision<null> {
  const noted = isPosted ? notePost(state, turn.now) : state;
  const begun = begin(noted, sort);
  return noted === state ? begun : { ...begun, state: begun.state ?? noted, transient: false };
}

export function reopenWebhook(
  _state: ChannelState,
  { requestId }: ReopenWebhook,
  { id }: Turn,
): ChannelDecision<null> {
  const payload: DoWork = { work: 'webhooks' };
  return {
    writes: [reopen(id, requestId)],
    effects: [{ do: 'tell', to: { kind: 'channel', id }, command: 'work', payload }],
    reply: null,
  };
}

/** The same state where the last one that is told of is not long ago. */
function notePost(state: ChannelState, now: number): ChannelState {
  const { chatapp } = state;
  if (chatapp === null || now - Date.parse(chatapp.postedAt ?? '') < postedMs) return state;
  return { ...state, chatapp: { ...chatapp, postedAt: new Date(now).toISOString() } };
}

function begin(state: ChannelState, sort: Work): ChannelDecision<null> {
  const before = state.works[sort];
  if (before === undefined) {
    const payload: WorkTask = { work: sort, projectId: state.projectId };
    return {
      state: { ...state, works: { ...state.works, [sort]: 'working' } },
      transient: true,
      effects: [{ do: 'perform', task: 'work', payload }],
      reply: null,
    };
  }
  if (before === 'more') return { reply: null };
  return {
    state: { ...state, works: { ...state.works, [sort]: 'more' } },
    transient: true,
    reply: null,
  };
}

/** The task has ended; another one begins where there is more to do, now or when the reminder comes. */
export function worked(
  state: ChannelState,
  { work: sort, hasMore, nextAt }: WorkDone,
  turn: Turn,
): ChannelDecision<null> {
  const { [sort]: before, ...works } = state.works;
  const idle: ChannelState = { ...state, works };
  if (hasMore || before === 'more') return begin(idle, sort);
  if (nextAt === undefined) return { state: idle, transient: true, reply: null };
  const again = { command: 'work', payload: { work: sort } satisfies DoWork };
  return {
    state: idle,
    remind: [{ key: `work:${sort}`, at: Math.max(nextAt, turn.now), ...again }],
    reply: null,
  };
}
