/** Das Änderungsprotokoll. */
import type { StudioTexts } from '../en/index.ts';

export const audit: StudioTexts['audit'] = {
  title: 'Änderungsprotokoll',
  about: 'Wer in diesem Arbeitsbereich was geändert hat, das Neueste zuerst.',
  action: 'Aktion',
  actionHint: 'Aktion, etwa api_key.created',
  actor: 'Von',
  anybody: 'Alle',
  actors: { user: 'Nutzer', api_key: 'API-Schlüssel', system: 'Server' },
  target: 'Was',
  project: 'Projekt',
  anyProject: 'Jedes Projekt',
  environment: 'Umgebung',
  anyEnvironment: 'Jede Umgebung',
  since: 'Ab',
  until: 'Bis',
  at: 'Wann',
  address: 'Woher',
  request: 'Anfrage',
  details: 'Einzelheiten',
  missing: 'Diesen Eintrag gibt es nicht.',
  export: 'Exportieren',
  none: 'Es findet sich nichts. Nehmen Sie einen Filter weg.',
};
