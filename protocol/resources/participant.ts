/** Who writes on the other side of a thread, and until when they may be answered. */
import Type from 'typebox';
import type { Static } from 'typebox';
import { prefixes } from '../ids.ts';
import {
  body,
  choice,
  freeForm,
  freeFormInput,
  instant,
  nullable,
  optional,
  resource,
  text,
} from './fields.ts';

/** The provider's window for free-form outbound messages: 24 hours after the last inbound one. Null when the channel has none. */
export const ServiceWindow = resource('ServiceWindow', {
  open: Type.Boolean(),
  expiresAt: nullable(instant()),
});
export type ServiceWindow = Static<typeof ServiceWindow>;

/** A period without charges by the provider, after a referral; it concerns prices only. */
export const FreeEntry = resource('FreeEntry', {
  status: choice(['pending', 'open', 'closed']),
  /** While it is pending: until when a message of the business has to be delivered. */
  pendingUntil: optional(nullable(instant())),
  openedAt: optional(nullable(instant())),
  expiresAt: optional(nullable(instant())),
});
export type FreeEntry = Static<typeof FreeEntry>;

/** Who writes on the other side. `attributes` are what the provider or the channel's owner knows of them. */
export const Participant = resource('Participant', {
  externalParticipantRef: nullable(Type.String()),
  displayName: nullable(Type.String()),
  locale: nullable(Type.String()),
  attributes: freeForm(),
});
export type Participant = Static<typeof Participant>;

/**
 * A picture is a kept file, by the id of its attachment: the address of one elsewhere would be asked by whoever looks at the thread. The id
 * is not looked up, and opens nothing: whoever shows the picture asks for the attachment in their own environment.
 */
const attributesInput = Type.Unsafe<Record<string, unknown>>({
  ...freeFormInput(),
  properties: { picture: { type: ['string', 'null'], pattern: `^${prefixes.attachment}_[0-9a-z]{1,64}$` } },
});

/** What is known of the participant now: fields that are absent stay as they are. */
export const ParticipantInput = body('ParticipantInput', {
  displayName: optional(nullable(text(1, 256))),
  /** A language, and a region if there is one (BCP 47). */
  locale: optional(nullable(text(1, 64))),
  attributes: optional(attributesInput),
});
export type ParticipantInput = Static<typeof ParticipantInput>;
