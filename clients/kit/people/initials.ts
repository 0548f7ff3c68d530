/** Letters that stand for somebody: of the first and the last word, or of a number its last two digits. */
const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

export function toInitials(name: string): string {
  const words = name
    // What is not seen is no letter: marks of direction, joiners.
    .replaceAll(/\p{Format}/gu, '')
    .trim()
    .split(/\s+/)
    .filter(word => word !== '');
  const digits = name.replaceAll(/\D/g, '');
  if (/^\+?[\d\s()-]+$/.test(name) && digits.length > 2) return digits.slice(-2);
  const letters = [words[0], ...words.slice(1).slice(-1)].map(word => firstLetter(word ?? ''));
  return letters.join('');
}

/** Without what is piled upon a letter: some names have a hundred marks on one. */
function firstLetter(word: string): string {
  const [first] = segmenter.segment(word);
  return (first?.segment ?? '')
    .normalize('NFC')
    .replaceAll(/\p{Mark}/gu, '')
    .toLocaleUpperCase();
}
