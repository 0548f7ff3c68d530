/** Queues of an inbox, narrowed down, that a user has kept under a name. */
import Type from 'typebox';
import type { Static, TProperties, TSchema, TUnsafe } from 'typebox';
import { idPattern } from '../ids.ts';
import { body, choice, optional, resource } from './fields.ts';
import { type Queues, queueNames } from './queue.ts';
import { ListThreadsQuery } from './thread.ts';

/** Of one project. */
export const maxSavedFilters = 50;
/** Of one user, in all projects. */
export const maxSavedFiltersOfUser = 500;
/** Code points. */
export const maxFilterName = 60;

const { channelId, tag, agentMode, assigneeUserId, unread } = ListThreadsQuery.properties;
/** What GET /threads is asked for beside the queue. */
const filters = { channelId, tag, agentMode, assigneeUserId, unread };

const fields = {
  queue: choice<readonly (keyof Queues['queues'])[]>(queueNames),
  filters: Type.Object(filters),
} satisfies TProperties;

export const SavedFilter = resource('SavedFilter', fields);
export type SavedFilter = Static<typeof SavedFilter>;

export const SavedFilterInput = body('SavedFilterInput', {
  ...fields,
  filters: Type.Object(filters, { additionalProperties: false }),
});

type ByName<T> = Record<string, Record<string, T>>;

/** By project, then by name. */
function byName<T>(schema: TSchema): TUnsafe<ByName<T>> {
  const named = {
    type: 'object',
    maxProperties: maxSavedFilters,
    propertyNames: { type: 'string', minLength: 1, maxLength: maxFilterName, pattern: '\\S' },
    additionalProperties: schema,
  };
  return Type.Unsafe<ByName<T>>({
    type: 'object',
    propertyNames: { pattern: idPattern('project') },
    additionalProperties: named,
  });
}

export const SavedFilters = byName<SavedFilter>(SavedFilter);
export type SavedFilters = Static<typeof SavedFilters>;

/** Null removes one; the others stay. */
export const SavedFilterChanges = optional(
  byName<Static<typeof SavedFilterInput> | null>(
    Type.Unsafe({ anyOf: [SavedFilterInput, { type: 'null' }] }),
  ),
);
export type SavedFilterChanges = ByName<SavedFilter | null>;
