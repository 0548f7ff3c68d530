/** What a tab has kept of its outboxes: whether anything waits, and where. */
import { outboxPrefix, type OutboxScope } from './unsent.ts';

/** What a tab keeps: the keys, and what is under them. */
export type KeptTexts = readonly (readonly [key: string, text: string])[];

const isUnsent = ([key, text]: KeptTexts[number]): boolean => key.startsWith(outboxPrefix) && text !== '[]';

/** @param kept of a tab */
export function hasUnsent(kept: KeptTexts): boolean {
  return kept.some(isUnsent);
}

/** Where somebody has something that is not sent. */
export function findUnsentScopes(kept: KeptTexts, ownUserId: string): readonly OutboxScope[] {
  return kept.filter(isUnsent).flatMap(([key]) => {
    const [userId, projectId, environmentId] = key.slice(outboxPrefix.length).split(':');
    if (userId !== ownUserId || projectId === undefined || environmentId === undefined) return [];
    return [{ userId, projectId, environmentId }];
  });
}
