import Type from 'typebox';
import type { Static } from 'typebox';
import {
  body,
  choice,
  freeForm,
  freeFormInput,
  httpUrl,
  id,
  instant,
  nullable,
  optional,
  resource,
  restored,
  text,
} from './fields.ts';

export const stitchStatuses = ['active', 'disabled', 'error'] as const;
export type StitchStatus = (typeof stitchStatuses)[number];

/** Names and the patterns `a.*`, `a.b.*`; empty means all events. The handler answers an unknown one with 422. */
const eventNames = Type.Array(text(1, 128), { maxItems: 100, default: [] });

export const Stitch = resource('Stitch', {
  stitchId: id('stitch'),
  projectId: id('project'),
  name: text(1, 256),
  webhookUrl: nullable(Type.String({ format: 'uri' })),
  status: choice(stitchStatuses),
  eventNames: Type.Array(text(1, 128), { default: [] }),
  metadata: freeForm(),
  createdAt: instant(),
  updatedAt: instant(),
  archivedAt: optional(nullable(instant())),
  environmentId: optional(id('environment')),
});
export type Stitch = Static<typeof Stitch>;

/** The secret is shown only when it is created. */
export const StitchWithSecret = resource('StitchWithSecret', {
  stitch: Stitch,
  secret: Type.String({ minLength: 24 }),
});
export type StitchWithSecret = Static<typeof StitchWithSecret>;

export const CreateStitchBody = body('CreateStitchBody', {
  projectId: id('project'),
  /** For Studio users; a key's own environment otherwise. */
  environmentId: optional(id('environment')),
  name: text(1, 256),
  webhookUrl: httpUrl(),
  eventNames: optional(eventNames),
  metadata: optional(freeFormInput()),
});
export type CreateStitchBody = Static<typeof CreateStitchBody>;

/** Users can set active and disabled; the service sets and clears `error`. */
export const UpdateStitchBody = body('UpdateStitchBody', {
  projectId: id('project'),
  name: optional(text(1, 256)),
  webhookUrl: optional(httpUrl()),
  status: optional(choice(['active', 'disabled'])),
  archived: restored(),
  eventNames: optional(eventNames),
  metadata: optional(freeFormInput()),
});
export type UpdateStitchBody = Static<typeof UpdateStitchBody>;

/** How long the old secret also signs, in seconds. */
export const RotateStitchSecretBody = body('RotateStitchSecretBody', {
  projectId: id('project'),
  gracePeriodSeconds: optional(Type.Integer({ minimum: 0, maximum: 604_800, default: 86_400 })),
});
export type RotateStitchSecretBody = Static<typeof RotateStitchSecretBody>;

/** `eventName`: the event that a sample is sent of; defaults to stitch.test.ping. */
export const TestStitchBody = body('TestStitchBody', {
  projectId: id('project'),
  eventName: optional(text(1, 128)),
});
export type TestStitchBody = Static<typeof TestStitchBody>;

/** The longest report, in hours: seven days. */
export const maxStatsHours = 168;
/** The backlog is counted up to this many; `more` says that there are more. */
export const maxBacklogCount = 10_000;

const count = () => Type.Integer({ minimum: 0 });

/** Times are known to a tenth. Rate and times are null without an attempt. */
const attemptStats = {
  attempts: count(),
  succeeded: count(),
  successRate: nullable(Type.Number({ minimum: 0, maximum: 1 })),
  /** Of an attempt, also one that failed. */
  p50Ms: nullable(count()),
  p95Ms: nullable(count()),
  /** From when a delivery was created to an attempt of it. */
  longestWaitMs: nullable(count()),
};

export const AttemptStats = resource('AttemptStats', attemptStats);
export type AttemptStats = Static<typeof AttemptStats>;

/** A replay of a span of time, or of what has failed, that is under way. */
export const StitchReplay = resource('StitchReplay', {
  replayId: Type.String(),
  sourceStitchId: id('stitch'),
  since: instant(),
  until: instant(),
  eventNames: Type.Array(Type.String()),
  statuses: Type.Array(Type.String()),
  onlyFailed: Type.Boolean(),
  /** Null where a node of an earlier version began it. */
  startedAt: nullable(instant()),
  replayed: count(),
  /** Null before the first. */
  lastCreatedAt: nullable(instant()),
});
export type StitchReplay = Static<typeof StitchReplay>;

export const StitchStats = resource('StitchStats', {
  stitchId: id('stitch'),
  projectId: id('project'),
  environmentId: id('environment'),
  asOf: instant(),
  /** The beginning of the first hour. */
  since: instant(),
  total: AttemptStats,
  /** Those with attempts, the oldest first. */
  hours: Type.Array(resource('StitchHour', { hour: instant(), ...attemptStats })),
  backlog: resource('StitchBacklog', {
    count: Type.Integer({ minimum: 0, maximum: maxBacklogCount }),
    more: Type.Boolean(),
    oldestSince: nullable(instant()),
  }),
  /** To this stitch. */
  replays: Type.Array(StitchReplay),
});
export type StitchStats = Static<typeof StitchStats>;

export const StitchStatsQuery = Type.Object({
  projectId: optional(id('project')),
  hours: optional(Type.Integer({ minimum: 1, maximum: maxStatsHours, default: 24 })),
});
