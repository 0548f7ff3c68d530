/** Ein Arbeitsbereich, seine Projekte und deren Umgebungen. */
import type { StudioTexts } from '../en/index.ts';

export const workspace: StudioTexts['workspace'] = {
  about: 'Ein Arbeitsbereich enthält Projekte und die Menschen, die darin arbeiten.',
  projects: 'Projekte',
  project: 'Projekt',
  environments: 'Umgebungen',
  production: 'Produktion',
  archived: 'Archiviert',
  created: 'Erstellt',
  noProjects: 'Noch kein Projekt',
};
