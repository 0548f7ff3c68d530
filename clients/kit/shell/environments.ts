/** Where somebody may work: the environments of the projects that they belong to. */
import { useQuery } from '@tanstack/react-query';
import { keepText } from '../keep-text.ts';
import { skein } from '../browser-session.ts';
import { ApiError } from '../../sdk/index.ts';
import { toVisibleName } from '../shown-name.ts';
import { findRepeated, tellApart } from './tell-apart.ts';

export interface EnvironmentChoice {
  readonly projectId: string;
  readonly environmentId: string;
  readonly projectName: string;
  readonly environmentName: string;
  readonly isProduction: boolean;
  /** What tells it from all others: the names of project and environment, and of the workspace where that is not enough. */
  readonly label: string;
}

interface Unlabelled extends Omit<EnvironmentChoice, 'label'> {
  readonly workspaceId: string;
}

/** More projects than this are chosen by their address. */
const mostProjects = 50;

/** Production first, as that is where people work. */
async function listEnvironments(): Promise<readonly EnvironmentChoice[]> {
  const projects = await skein.projects.list({ limit: 100 }).toArray(mostProjects);
  const places = await Promise.all(
    projects.map(async ({ projectId, workspaceId, name }) => {
      try {
        const environments = await skein.environments.list({ projectId }).toArray();
        return environments.map((each): Unlabelled => ({
          projectId,
          workspaceId,
          environmentId: each.environmentId,
          projectName: toVisibleName(name, projectId),
          environmentName: toVisibleName(each.name, each.environmentId),
          isProduction: each.kind === 'production',
        }));
      } catch (error) {
        // Of the workspace, and not for this user.
        if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return [];
        throw error;
      }
    }),
  );
  return addLabels(places.flat().sort((one, other) => Number(other.isProduction) - Number(one.isProduction)));
}

/** The first project of every account has the same name: whoever joins a workspace has two of it. */
async function addLabels(places: readonly Unlabelled[]): Promise<readonly EnvironmentChoice[]> {
  const names = places.map(({ projectName, environmentName }) => `${projectName} · ${environmentName}`);
  const alike = findRepeated(names);
  const workspaces = alike.size === 0 ? [] : ((await skein.caller.get()).workspaces ?? []);
  const workspaceNames = new Map(
    workspaces.map(({ workspaceId, name }) => [workspaceId, toVisibleName(name, workspaceId)]),
  );
  const labels = tellApart(
    places.map(({ projectId: id, workspaceId }, index) => {
      const name = names[index] ?? '';
      const workspaceName = alike.has(name) ? workspaceNames.get(workspaceId) : undefined;
      return { id, name: workspaceName === undefined ? name : `${workspaceName} · ${name}` };
    }),
  );
  return places.map((place, index) => ({ ...place, label: labels[index] ?? '' }));
}

export function useEnvironments() {
  return useQuery({ queryKey: ['environments'], queryFn: listEnvironments, staleTime: 300_000 });
}

const lastKey = 'skein-environment';

export function rememberEnvironment(place: Pick<EnvironmentChoice, 'projectId' | 'environmentId'>): void {
  keepText(localStorage, lastKey, `${place.projectId}/${place.environmentId}`);
}

/** The place of the last time, if it is still there, else the first. */
export function findStart(places: readonly EnvironmentChoice[]): EnvironmentChoice | undefined {
  const last = localStorage.getItem(lastKey);
  return places.find(each => `${each.projectId}/${each.environmentId}` === last) ?? places[0];
}
