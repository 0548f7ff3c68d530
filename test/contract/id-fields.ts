/** The places in an operation's request that hold ids, by its schemas: in lists and deep in objects, too. */
import type { Resource } from '../../protocol/ids.ts';
import type { Operation } from '../../protocol/operation.ts';
import { getResource, type Part, type Schema } from '../node/sample.ts';

/** Where a request holds an id. */
export interface IdField {
  readonly part: Part;
  /** Names of members, and 0 for the items of a list. */
  readonly path: readonly (string | number)[];
  readonly resource: Resource;
}

/** What is named by an id that is none of ours by its schema: another system's may stand there too. */
const foreignNames: Readonly<Record<string, Resource>> = { attachmentId: 'attachment' };

function findIdFields(part: Part, path: IdField['path'], schema: Schema): IdField[] {
  const name = path.at(-1);
  const resource = getResource(schema) ?? (typeof name === 'string' ? foreignNames[name] : undefined);
  return [
    ...(resource === undefined ? [] : [{ part, path, resource }]),
    ...Object.entries(schema.properties ?? {}).flatMap(([each, inner]) =>
      findIdFields(part, [...path, each], inner),
    ),
    ...(schema.items === undefined ? [] : findIdFields(part, [...path, 0], schema.items)),
    ...(schema.anyOf ?? []).flatMap(inner => findIdFields(part, path, inner)),
  ];
}

export const getIdFields = (operation: Operation): IdField[] =>
  (['params', 'query', 'body'] as const).flatMap(part =>
    findIdFields(part, [], (operation[part] ?? {}) as Schema),
  );
