/** What is known of a thread's participant, and by which names its channel's provider calls them. */
import { isDeepStrictEqual } from 'node:util';
import { addAlias } from '../../storage/writes/index.ts';
import { mergeObject } from '../base/index.ts';
import { getProvider } from '../channel/index.ts';
import type { ParticipantChanges } from './commands.ts';
import type { ThreadDecisionBuilder } from './decision-builder.ts';
import type { ParticipantDetails } from './state.ts';

const unknown: ParticipantDetails = { displayName: null, locale: null, attributes: {} };

/**
 * Keeps what is told of the participant; what is not named stays. The attributes that a channel's owner gives are all there are; a provider
 * tells a part of its own with each message.
 */
export function noteParticipant(builder: ThreadDecisionBuilder, changes: ParticipantChanges): void {
  const { next } = builder;
  const before = next.participant ?? unknown;
  const isWhole = getProvider(next.channelKind)?.postedByOwner === true;
  const after: ParticipantDetails = {
    ...before,
    ...changes,
    attributes: isWhole
      ? (changes.attributes ?? before.attributes)
      : { ...before.attributes, ...changes.attributes },
  };
  if (!isDeepStrictEqual(after, before)) next.participant = after;
}

/** What an operator or a program corrects: merged, and null clears. */
export function changeParticipant(
  { next }: ThreadDecisionBuilder,
  { displayName, locale, attributes }: ParticipantChanges,
): void {
  const before = next.participant ?? unknown;
  const after: ParticipantDetails = {
    displayName: displayName === undefined ? before.displayName : displayName,
    locale: locale === undefined ? before.locale : locale,
    attributes: mergeObject('participant/attributes', before.attributes, attributes),
  };
  if (!isDeepStrictEqual(after, before)) next.participant = after;
}

/** From now on the provider's messages under these names come to this thread. */
export function noteAliases(builder: ThreadDecisionBuilder, aliases: readonly string[]): void {
  const { next, threadId, at: createdAt } = builder;
  const { projectId, environmentId, channelId, externalRef } = next;
  if (channelId === null || externalRef === null) return;
  for (const alias of aliases) {
    builder.writes.push(
      addAlias({ channelId, alias, projectId, environmentId, threadId, externalRef, createdAt }),
    );
  }
}
