/** Lists: the envelope of every list response and the query of every list operation (docs/contract-decisions.md, "Paging"). */
import Type from 'typebox';
import type { TArray, TBoolean, TObject, TSchema, TUnsafe } from 'typebox';
import { id, nullable, optional, resource } from './fields.ts';

/** Items of a page by default. */
export const defaultPageSize = 50;

/** The parameters of every list operation. */
export const page = {
  /** Opaque: `nextCursor` of the previous page. */
  cursor: optional(Type.String({ minLength: 1, maxLength: 1024 })),
  limit: optional(Type.Integer({ minimum: 1, maximum: 100, default: defaultPageSize })),
};

/** The project of a list (required) and, for Studio users, the environment; API keys are bound to theirs. */
export const scope = {
  projectId: id('project'),
  environmentId: optional(id('environment')),
};

/** Single reads and nested lists may name the project; one that is not the resource's is a 404. */
export const maybeProject = { projectId: optional(id('project')) };

/** The query of single reads and of writes without a body. */
export const MaybeProjectQuery = Type.Object(maybeProject);

/** The query of a list outside any project. */
export const ListQuery = Type.Object(page);

/** The query of a nested list. */
export const NestedListQuery = Type.Object({ ...maybeProject, ...page });

/** The query of a list that has no filters of its own. */
export const ScopedListQuery = Type.Object({ ...scope, ...page });

/** The same of what can be archived. */
export const ArchivableListQuery = Type.Object({
  ...scope,
  archived: optional(Type.Boolean({ default: false })),
  ...page,
});

export type ListSchema<S extends TSchema> = TObject<{
  data: TArray<S>;
  nextCursor: TUnsafe<string | null>;
  hasMore: TBoolean;
}>;

/** `{data, nextCursor, hasMore}` of a titled schema. */
export function createList<S extends TSchema & { title?: string }>(item: S): ListSchema<S> {
  const title = (item as { title?: string }).title;
  if (title === undefined) throw new Error('a list needs a titled item schema');
  return resource(`${title}List`, {
    data: Type.Array(item),
    nextCursor: nullable(Type.String()),
    hasMore: Type.Boolean(),
  });
}
