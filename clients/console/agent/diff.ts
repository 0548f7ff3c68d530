/** What was changed in a text, word by word: the longest words that both have in the same order stay (Myers would be faster for long ones). */
export interface DiffPart {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Above so many pairs of words the whole text counts as changed. */
const maxPairs = 4_000_000;
const words = /\s+|[^\s]+/gu;

export function diffWords(before: string, after: string): readonly DiffPart[] {
  const [old, fresh] = [before.match(words) ?? [], after.match(words) ?? []];
  if (old.length * fresh.length > maxPairs) return join([part('removed', before), part('added', after)]);
  const lengths = measureCommon(old, fresh);
  const parts: DiffPart[] = [];
  const width = fresh.length + 1;
  let [i, j] = [0, 0];
  while (i < old.length || j < fresh.length) {
    const [one, other] = [old[i], fresh[j]];
    if (one !== undefined && one === other) {
      parts.push(part('same', one));
      i++;
      j++;
    } else if (
      other === undefined ||
      (one !== undefined && (lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0))
    ) {
      parts.push(part('removed', one ?? ''));
      i++;
    } else {
      parts.push(part('added', other));
      j++;
    }
  }
  return join(parts);
}

const part = (kind: DiffPart['kind'], text: string): DiffPart => ({ kind, text });

/** At [i, j]: how many words the rests of both have in common, from there on. */
function measureCommon(old: readonly string[], fresh: readonly string[]): Uint32Array {
  const width = fresh.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = fresh.length - 1; j >= 0; j--) {
      const [down, right] = [lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0];
      lengths[i * width + j] =
        old[i] === fresh[j] ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1 : Math.max(down, right);
    }
  }
  return lengths;
}

/** Neighbours of one kind become one part. */
function join(parts: readonly DiffPart[]): readonly DiffPart[] {
  const joined: DiffPart[] = [];
  for (const each of parts) {
    const last = joined.at(-1);
    if (each.text === '') continue;
    if (last?.kind === each.kind) joined[joined.length - 1] = part(each.kind, last.text + each.text);
    else joined.push(each);
  }
  return joined;
}
