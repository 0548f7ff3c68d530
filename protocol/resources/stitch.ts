import Type from 'typebox';
import type { Static } from 'typebox';
import {
  body,
  choice,
  freeForm,
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
  metadata: optional(freeForm()),
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
  metadata: optional(freeForm()),
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
