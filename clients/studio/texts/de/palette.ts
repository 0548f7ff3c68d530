/** Die Palette: mit einem Namen überallhin. */
import type { StudioTexts } from '../en/index.ts';

export const palette: StudioTexts['palette'] = {
  title: 'Gehe zu …',
  placeholder: 'Eine Seite, ein Kanal, ein Webhook, ein Werkzeug …',
  results: 'Was gefunden wurde',
  groups: {
    pages: 'Seiten',
    things: 'In dieser Umgebung',
    environments: 'Projekte und Umgebungen',
    actions: 'Aktionen',
  },
  searching: 'Wird gesucht …',
  nothing: 'Nichts passt. Versuchen Sie es mit weniger oder anderen Wörtern.',
  found: count => (count === 1 ? '1 Treffer' : `${count} Treffer`),
  dark: 'Dunkle Darstellung',
  light: 'Helle Darstellung',
};
