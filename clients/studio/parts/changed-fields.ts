/**
 * What a form changes: the fields that differ from those that its writer began with. Only they are sent, since a colleague may have changed
 * the others meanwhile: sent as they were, they would take that back.
 */
export function getChangedFields<Fields extends object>(begun: Fields, written: Fields): Partial<Fields> {
  const changed = Object.entries(written).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(begun[name as keyof Fields]),
  );
  return Object.fromEntries(changed) as Partial<Fields>;
}

export const isChanged = <Fields extends object>(begun: Fields, written: Fields): boolean =>
  Object.keys(getChangedFields(begun, written)).length > 0;

/** Sends the fields that differ; where none does, sends nothing and resolves with undefined. */
export async function sendChanges<Fields extends object, Saved>(
  begun: Fields,
  written: Fields,
  send: (changes: Partial<Fields>) => Promise<Saved>,
): Promise<Saved | undefined> {
  return isChanged(begun, written) ? send(getChangedFields(begun, written)) : undefined;
}
