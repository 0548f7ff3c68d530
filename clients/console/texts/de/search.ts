/** Die Palette: Gespräche finden, und überall hingehen. */
import type { search as english } from '../en/search.ts';

export const search: typeof english = {
  title: 'Suche',
  field: 'Suchen',
  placeholder: 'Gespräche suchen, gehen zu …, oder > für das, was man tun kann',
  results: 'Gefunden',
  groups: {
    threads: 'Gespräche',
    page: 'Dieses Gespräch und seine Liste',
    queues: 'Warteschlangen',
    environments: 'Projekte und Umgebungen',
    actions: 'Aktionen',
  },
  commands: { assign: 'Zuweisen an …', mode: 'Modus des Agenten …', snooze: 'Zurückstellen …' },
  searching: 'Wird gesucht …',
  nothing: 'Nichts passt. Versuchen Sie weniger oder andere Wörter: das letzte darf unfertig sein.',
  all: words => `Alle Ergebnisse für „${words}“`,
  found: count => (count === 1 ? '1 Ergebnis' : `${count} Ergebnisse`),
  dark: 'Dunkles Erscheinungsbild',
  light: 'Helles Erscheinungsbild',
};
