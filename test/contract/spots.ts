/** The places in an operation's request that hold ids, by its schemas: in lists and deep in objects, too. */
import type { Resource } from '../../protocol/ids.ts';
import type { Operation } from '../../protocol/operation.ts';
import { resourceOf, type Part, type Schema } from '../node/sample.ts';

/** Where a request holds an id. */
export interface Spot {
  readonly part: Part;
  /** Names of members, and 0 for the items of a list. */
  readonly path: readonly (string | number)[];
  readonly resource: Resource;
}

/** What is named by an id that is none of ours by its schema: another system's may stand there too. */
const foreignNames: Readonly<Record<string, Resource>> = { attachmentId: 'attachment' };

function spotsIn(part: Part, path: Spot['path'], schema: Schema): Spot[] {
  const name = path.at(-1);
  const resource = resourceOf(schema) ?? (typeof name === 'string' ? foreignNames[name] : undefined);
  return [
    ...(resource === undefined ? [] : [{ part, path, resource }]),
    ...Object.entries(schema.properties ?? {}).flatMap(([each, inner]) =>
      spotsIn(part, [...path, each], inner),
    ),
    ...(schema.items === undefined ? [] : spotsIn(part, [...path, 0], schema.items)),
    ...(schema.anyOf ?? []).flatMap(inner => spotsIn(part, path, inner)),
  ];
}

export const spotsOf = (operation: Operation): Spot[] =>
  (['params', 'query', 'body'] as const).flatMap(part =>
    spotsIn(part, [], (operation[part] ?? {}) as Schema),
  );
