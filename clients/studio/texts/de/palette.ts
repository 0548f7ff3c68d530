/** Die Palette: mit einem Namen überallhin. */
import type { StudioTexts } from '../en/index.ts';

export const palette: StudioTexts['palette'] = {
  title: 'Gehe zu …',
  placeholder: 'Eine Seite, ein Kanal, ein Webhook, ein Werkzeug, eine ID …',
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
  ids: {
    message: 'Was aus dieser Nachricht wurde',
    thread: 'Die Nachrichten dieser Unterhaltung',
    event: 'Dieses Ereignis',
    run: 'Dieser Lauf',
    delivery: 'Diese Zustellung',
    channel: 'Dieser Kanal',
    webhook: 'Dieser Webhook',
    agent: 'Dieser Agent',
    instructions: 'Diese Anweisungen',
    tool: 'Dieses Werkzeug',
  },
  findMessages: text => `Nachrichten von „${text}“`,
  dark: 'Dunkle Darstellung',
  light: 'Helle Darstellung',
};
