/**
 * The actors of the simulation, which do everything that production's do.
 *
 * A conversation numbers what happens to it 1, 2, 3 ... (posts of clients, reminders, nudges of other conversations) and delivers
 * every event to a receiver, one after another: the event is a row, the delivery an effect after its commit, and a reminder
 * drives it again should that be lost. A post that comes again is answered as the first time.
 *
 * A ledger takes every entry once by a unique row alone: it remembers no keys.
 */
import { ServiceError } from '../../protocol/errors.ts';
import {
  actor,
  type ActorRef,
  type AnyActorKind,
  type Decision,
  type Effect,
  type Turn,
} from '../../runtime/actor/actor.ts';
import type { Write as ProductionWrite } from '../../storage/statements/statement.ts';
import type { MemoryWrite } from '../support/memory-store.ts';

/** One event of a conversation, as the log has it. */
export interface EventWrite extends MemoryWrite {
  readonly event: {
    readonly conversation: string;
    readonly sequence: number;
    readonly mark: string;
    /** Epoch milliseconds. */
    readonly at: number;
  };
}

export type Write = MemoryWrite | EventWrite | ProductionWrite;

/** A command of a client: `attempt` is another each time that the client sends it. */
interface Asked {
  readonly attempt: string;
}

export interface Post extends Asked {
  readonly mark: string;
  /** Another conversation to tell of it. */
  readonly nudge?: string;
  /** A reminder to set, in that many milliseconds. */
  readonly wakeInMs?: number;
  /** Whom to remind; itself when absent. */
  readonly wake?: string;
}

export interface Conversation {
  /** What happened, in order: the place of each is its sequence. */
  readonly marks: readonly string[];
  /** Delivered up to this sequence. */
  readonly delivered: number;
}

export interface LedgerState {
  readonly marks: readonly string[];
}

type Command<Payload, Reply> = { readonly payload: Payload; readonly reply: Reply };

/** Of an event that a failover has lost, another one may have the sequence. */
interface Delivered {
  readonly sequence: number;
  readonly mark: string;
}

type ConversationCommands = {
  readonly post: Command<Post, number>;
  readonly read: Command<Asked, readonly string[]>;
  readonly refuse: Command<Asked, never>;
  readonly wake: Command<{ readonly mark: string }, number>;
  readonly nudge: Command<{ readonly mark: string }, number>;
  readonly delivered: Command<Delivered, number>;
  readonly redrive: Command<unknown, number>;
};

type LedgerCommands = {
  readonly enter: Command<Asked & { readonly mark: string }, number>;
  readonly note: Command<Asked & { readonly mark: string }, number>;
};

/** What the simulation wants to know of a node's actors. */
export interface Probe {
  /** A command is being decided. */
  readonly decided: (self: ActorRef, command: string, payload: unknown) => void;
  /** Brings an event to the receiver; rejects when it was not taken, or when nobody knows. */
  readonly deliver: (conversation: string, sequence: number) => Promise<void>;
}

/** The ids of the actors that there are. */
export const conversations = ['ada', 'bob', 'cleo', 'dora', 'egon', 'finn', 'gina'] as const;
export const ledgers = ['cash', 'debt', 'rent'] as const;
/** Notes leave no mark in a ledger's state, but a row. */
export const notes = 'notes';

export const conversationRef = (id: string): ActorRef => ({ kind: 'conversation', id });
export const ledgerRef = (id: string): ActorRef => ({ kind: 'ledger', id });

const redriveMs = 1_500;

type Happened = Decision<Conversation, number, Write>;

/** The decision that adds one mark, once. */
function happen(
  state: Conversation,
  mark: string,
  { id, now }: Turn,
  more: Partial<Happened> = {},
): Happened {
  const position = state.marks.indexOf(mark) + 1;
  if (position > 0) return { reply: position };
  const marks = [...state.marks, mark];
  const sequence = marks.length;
  const event: EventWrite = {
    scope: 'event',
    key: `${id}/${sequence}/${mark}`,
    event: { conversation: id, sequence, mark, at: now },
  };
  const redrive = { key: 'redrive', at: now + redriveMs, command: 'redrive', payload: {} };
  return {
    state: { ...state, marks },
    writes: [...(more.writes ?? []), event],
    remind: [...(more.remind ?? []), redrive],
    effects: [...(more.effects ?? []), ...next(state.delivered, state.marks.length, marks)],
    reply: sequence,
  };
}

/** Starts the delivery of what comes next, unless one is under way. */
function next(delivered: number, before: number, marks: readonly string[]): Effect[] {
  return delivered === before && marks.length > delivered ? [deliver(delivered + 1, marks)] : [];
}

function deliver(sequence: number, marks: readonly string[]): Effect {
  const payload: Delivered = { sequence, mark: marks[sequence - 1] ?? '' };
  return { do: 'perform', task: 'deliver', payload };
}

function post(state: Conversation, payload: Post, turn: Turn): Happened {
  const { mark, nudge, wakeInMs, wake = turn.id } = payload;
  const woken = `${mark}:wake`;
  return happen(state, mark, turn, {
    writes: [{ scope: 'idempotency', key: mark }],
    ...(wakeInMs === undefined
      ? {}
      : {
          remind: [
            {
              key: woken,
              at: turn.now + wakeInMs,
              command: 'wake',
              payload: { mark: woken },
              to: conversationRef(wake),
            },
          ],
        }),
    ...(nudge === undefined
      ? {}
      : {
          effects: [
            { do: 'tell', to: conversationRef(nudge), command: 'nudge', payload: { mark: `${mark}:nudge` } },
          ],
        }),
  });
}

/** The kinds as one node declares them. */
export function createKinds(probe: Probe): readonly AnyActorKind[] {
  return [conversationKind(probe), ledgerKind(probe)];
}

function conversationKind(probe: Probe): AnyActorKind {
  const see = (command: string, payload: unknown, { id }: Turn): void =>
    probe.decided(conversationRef(id), command, payload);
  return actor<Conversation, ConversationCommands, Write>({
    kind: 'conversation',
    initialState: () => ({ marks: [], delivered: 0 }),
    idleMs: 3_000,
    onActivate: 'redrive',
    decide: {
      post: (state, payload, turn) => {
        see('post', payload, turn);
        return post(state, payload, turn);
      },
      read: (state, payload, turn) => {
        see('read', payload, turn);
        return { reply: state.marks };
      },
      refuse: (state, payload, turn) => {
        see('refuse', payload, turn);
        throw new ServiceError('svc/runtime/conflict', { details: { at: state.marks.length } });
      },
      wake: (state, payload, turn) => {
        see('wake', payload, turn);
        return happen(state, payload.mark, turn);
      },
      nudge: (state, payload, turn) => {
        see('nudge', payload, turn);
        return happen(state, payload.mark, turn);
      },
      delivered: (state, { sequence, mark }) => {
        const isNext = sequence === state.delivered + 1 && state.marks[sequence - 1] === mark;
        if (!isNext) return { reply: state.delivered };
        const effects = sequence < state.marks.length ? [deliver(sequence + 1, state.marks)] : [];
        return { state: { ...state, delivered: sequence }, effects, reply: sequence };
      },
      redrive: (state, _, { now }) => {
        const { delivered, marks } = state;
        if (delivered === marks.length) return { reply: delivered };
        const redrive = { key: 'redrive', at: now + redriveMs, command: 'redrive', payload: {} };
        return { remind: [redrive], effects: [deliver(delivered + 1, marks)], reply: delivered };
      },
    },
    tasks: {
      deliver: async ({ sequence, mark }: Delivered, { self, ask }) => {
        await probe.deliver(self.id, sequence);
        await ask(self, 'delivered', { sequence, mark });
      },
    },
  });
}

function ledgerKind(probe: Probe): AnyActorKind {
  return actor<LedgerState, LedgerCommands, Write>({
    kind: 'ledger',
    initialState: () => ({ marks: [] }),
    idleMs: 3_000,
    decide: {
      enter: (state, payload, { id }) => {
        probe.decided(ledgerRef(id), 'enter', payload);
        const marks = [...state.marks, payload.mark];
        return {
          state: { marks },
          writes: [{ scope: 'idempotency', key: payload.mark }],
          reply: marks.length,
        };
      },
      note: (state, payload, { id }) => {
        probe.decided(ledgerRef(id), 'note', payload);
        return { writes: [{ scope: 'idempotency', key: payload.mark }], reply: state.marks.length };
      },
    },
  });
}
