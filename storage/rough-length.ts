/**
 * About how long a value's JSON is, in UTF-16 units, without making it: names, texts, and a few units for everything else. It looks
 * no further once it is at `most`, and never fails.
 */
export function roughLength(value: unknown, most: number): number {
  let length = 0;
  const left: unknown[] = [value];
  while (left.length > 0 && length < most) {
    const next = left.pop();
    length += 4;
    if (typeof next === 'string') length += next.length;
    else if (Array.isArray(next)) for (const item of next) left.push(item);
    else if (typeof next === 'object' && next !== null) {
      for (const [name, member] of Object.entries(next)) {
        length += name.length;
        left.push(member);
      }
    }
  }
  return length;
}
