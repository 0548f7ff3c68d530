/** What somebody has named something, where it is opened or told apart by that: of a name of which nothing can be seen the id. */
import { toVisibleName } from '../../kit/shown-name.ts';

export function Name({ of: name, id }: { readonly of: string; readonly id: string }) {
  return <bdi>{toVisibleName(name, id)}</bdi>;
}
