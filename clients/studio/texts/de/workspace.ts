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
  noProjectsHint: 'Erstellen Sie eines: Es hat eine Sandbox, in der Sie alles ausprobieren können.',
  name: 'Name',
  save: 'Speichern',
  createProject: 'Projekt erstellen',
  createProjectHint: 'Es hat eine Sandbox. Produktion kommt hinzu, wenn Sie sie brauchen.',
  environmentName: 'Name der Umgebung',
  createProduction: 'Produktion erstellen',
  productionHint:
    'Aus der Produktion werden echte Kunden erreicht. Sie hat eigene Kanäle, Webhooks und Live-Schlüssel. Ein Projekt hat genau eine, und sie lässt sich nicht entfernen.',
  newWorkspace: 'Neuer Arbeitsbereich',
  archiveWorkspace: 'Arbeitsbereich archivieren',
  restoreWorkspace: 'Arbeitsbereich wiederherstellen',
  acts: {
    rename: 'Umbenennen',
    production: 'Produktion hinzufügen',
    archive: 'Archivieren',
    restore: 'Wiederherstellen',
  },
  actOn: {
    rename: name => `${name} umbenennen`,
    production: name => `${name}: Produktion hinzufügen`,
    archive: name => `${name} archivieren`,
    restore: name => `${name} wiederherstellen`,
  },
  archiveProjectHint:
    'Seine API-Schlüssel werden abgewiesen, seine Webhooks senden nicht mehr, und seine Kanäle nehmen nichts an. Agenten beenden, was sie gerade tun. Nichts wird gelöscht: Alles bleibt lesbar, und das Projekt kann wiederhergestellt werden.',
  archiveWorkspaceHint:
    'Das gilt für alle seine Projekte: API-Schlüssel werden abgewiesen, Webhooks senden nicht mehr, und Kanäle nehmen nichts an. Agenten beenden, was sie gerade tun. Nichts wird gelöscht: Alles bleibt lesbar, und ein Inhaber kann den Arbeitsbereich wiederherstellen.',
  restoreHint:
    'API-Schlüssel gelten wieder, Webhooks senden wieder, und Kanäle nehmen wieder Nachrichten an.',
  secondFactor: {
    title: 'Zweiter Faktor',
    demand: 'Von jedem Mitglied einen zweiten Faktor verlangen',
    hint: 'Mitglieder ohne einen können ihn dann nur einrichten oder den Arbeitsbereich verlassen. API-Schlüssel gelten weiter. Sie brauchen selbst einen.',
    isDemanded: 'Jedes Mitglied braucht einen zweiten Faktor.',
    isNotDemanded: 'Mitglieder brauchen keinen zweiten Faktor.',
  },
};
