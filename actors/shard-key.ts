/**
 * What decides the shard of a thread and of its runs: the random characters of the id, which `numberedId` hands down from an
 * owner to what it makes. So a run, whose id its thread makes, lives on the node of its thread (design section 3, "Placement"),
 * and what they tell each other does not travel. An id that is not numbered has characters of its own there, just as random.
 */
export function familyOf(id: string): string {
  return id.slice(-16, -3);
}
