/** A counter: the smallest actor that shows everything the runtime does. */
import { ServiceError } from '../../protocol/errors.ts';
import {
  actor,
  type ActorRef,
  type Effect,
  type Reminder,
  type TaskContext,
} from '../../runtime/actor/actor.ts';
import type { MemoryWrite } from '../support/memory-store.ts';

export interface Counted {
  readonly n: number;
  /** Marks of the commands that made it so, in order. */
  readonly marks: readonly string[];
  /** What no snapshot keeps. */
  readonly live?: number;
}

export interface Add {
  readonly mark: string;
  /** A row that must be the first with its key. */
  readonly once?: string;
  readonly scope?: string;
  readonly remind?: readonly Reminder[];
  readonly forget?: readonly string[];
  readonly effects?: readonly Effect[];
}

type Command<Payload, Reply> = { readonly payload: Payload; readonly reply: Reply };

/** As a type, not an interface: its names are the commands. */
export type CounterCommands = {
  readonly add: Command<Add, number>;
  readonly get: Command<unknown, Counted>;
  /** Writes a row and leaves the state alone. */
  readonly note: Command<{ readonly once: string }, number>;
  readonly refuse: Command<unknown, never>;
  readonly explode: Command<unknown, never>;
  readonly live: Command<{ readonly effects?: readonly Effect[] }, number>;
  readonly wrong: Command<unknown, number>;
  readonly wake: Command<{ readonly mark?: string }, number>;
};

export const counterRef = (id: string): ActorRef => ({ kind: 'counter', id });

function add(state: Counted, mark: string): Counted {
  return { ...state, n: state.n + 1, marks: [...state.marks, mark] };
}

/** What tasks do is the test's affair. */
export type Work = (payload: unknown, context: TaskContext) => Promise<void>;

export interface CounterOptions {
  readonly work?: Work;
  readonly onActivate?: keyof CounterCommands;
  readonly idleMs?: number;
  readonly tasksAtOnce?: number;
}

export function counterKind({ work, ...options }: CounterOptions = {}) {
  return actor<Counted, CounterCommands, MemoryWrite>({
    kind: 'counter',
    initialState: () => ({ n: 0, marks: [] }),
    decide: {
      add: (state, { mark, once, scope = 'once', remind = [], forget = [], effects = [] }) => {
        const writes = once === undefined ? [] : [{ scope, key: once }];
        const next = add(state, mark);
        return { state: next, writes, remind, forget, effects, reply: next.n };
      },
      get: state => ({ reply: state }),
      note: (state, { once }) => ({ state, writes: [{ scope: 'once', key: once }], reply: state.n }),
      refuse: state => {
        throw new ServiceError('svc/runtime/conflict', { details: { n: state.n } });
      },
      explode: () => {
        throw new TypeError('boom');
      },
      live: (state, { effects = [] }) => {
        const live = (state.live ?? 0) + 1;
        return { state: { ...state, live }, transient: true, effects, reply: live };
      },
      wrong: state => ({
        state: add(state, 'wrong'),
        transient: true,
        writes: [{ scope: 'once', key: 'wrong' }],
        reply: 0,
      }),
      wake: (state, { mark }) => {
        if (mark === undefined) return { reply: state.n };
        const next = add(state, mark);
        return { state: next, reply: next.n };
      },
    },
    ...(work === undefined ? {} : { tasks: { work } }),
    ...options,
  });
}
