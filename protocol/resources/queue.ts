/** How many threads wait in each queue of an inbox. */
import Type from 'typebox';
import type { Static } from 'typebox';
import { id, instant, nullable, optional, resource } from './fields.ts';

/** A count goes up to this many; `more` says that there are more. */
export const maxQueueCount = 1_000;
/** A window that ends within this many milliseconds is closing: two hours. */
export const closingWindowMs = 7_200_000;

/** In the order of an inbox. */
export const queueNames = [
  'mine',
  'unassigned',
  'allOpen',
  'needsApproval',
  'waitingLongest',
  'windowClosing',
  'failedSends',
  'paused',
  'closed',
  'snoozed',
] as const;

const counted = { count: Type.Integer({ minimum: 0, maximum: maxQueueCount }), more: Type.Boolean() };

export const QueueCount = resource('QueueCount', counted);
export type QueueCount = Static<typeof QueueCount>;

export const WaitingCount = resource('WaitingCount', {
  ...counted,
  /** Since when the one waits that waits longest. */
  oldestWaitingSince: nullable(instant()),
});

/** The environment, for Studio users; API keys are bound to theirs. */
export const QueuesQuery = Type.Object({ environmentId: optional(id('environment')) });

export const Queues = resource('Queues', {
  projectId: id('project'),
  environmentId: id('environment'),
  asOf: instant(),
  queues: Type.Object({
    /** Open threads of the requesting user; of an API key, none. */
    mine: QueueCount,
    unassigned: QueueCount,
    allOpen: QueueCount,
    needsApproval: QueueCount,
    waitingLongest: WaitingCount,
    windowClosing: QueueCount,
    failedSends: QueueCount,
    paused: QueueCount,
    closed: QueueCount,
    snoozed: QueueCount,
    /** Notes that mention the requesting user, unread; of an API key that acts for nobody, none. */
    mentions: QueueCount,
  }),
});
export type Queues = Static<typeof Queues>;
