/** Filters of event names in requests (decisions section 6): names and patterns that select something, each once. */
import { invalid, type Issue } from '../../../protocol/errors.ts';
import { isKnownPattern } from '../../../protocol/events.ts';

/** Refuses unknown names with 422; `path` is the JSON pointer of the list. */
export function eventFilter(names: readonly string[], path: string): readonly string[] {
  const issues: Issue[] = names.flatMap((name, index) =>
    isKnownPattern(name)
      ? []
      : [{ path: `${path}/${index}`, message: 'must name an event, or a pattern of events', code: 'event' }],
  );
  if (issues.length > 0) throw invalid(issues);
  return [...new Set(names)];
}
