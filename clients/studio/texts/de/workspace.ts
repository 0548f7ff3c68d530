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
  secondFactor: {
    title: 'Zweiter Faktor',
    demand: 'Von jedem Mitglied einen zweiten Faktor verlangen',
    hint: 'Mitglieder ohne einen können ihn dann nur einrichten oder den Arbeitsbereich verlassen. API-Schlüssel gelten weiter. Sie brauchen selbst einen.',
    isDemanded: 'Jedes Mitglied braucht einen zweiten Faktor.',
    isNotDemanded: 'Mitglieder brauchen keinen zweiten Faktor.',
  },
};
