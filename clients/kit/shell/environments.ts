/** Where somebody may work: the environments of the projects that they belong to. */
import { useQuery } from '@tanstack/react-query';
import { skein } from '../browser-session.ts';
import { ApiError } from '../../sdk/index.ts';

export interface EnvironmentChoice {
  readonly projectId: string;
  readonly environmentId: string;
  readonly projectName: string;
  readonly environmentName: string;
  readonly isProduction: boolean;
}

/** More projects than this are chosen by their address. */
const mostProjects = 50;

/** Production first, as that is where people work. */
async function listEnvironments(): Promise<readonly EnvironmentChoice[]> {
  const projects = await skein.projects.list({ limit: 100 }).toArray(mostProjects);
  const places = await Promise.all(
    projects.map(async ({ projectId, name }) => {
      try {
        const environments = await skein.environments.list({ projectId }).toArray();
        return environments.map((each): EnvironmentChoice => ({
          projectId,
          environmentId: each.environmentId,
          projectName: name,
          environmentName: each.name,
          isProduction: each.kind === 'production',
        }));
      } catch (error) {
        // Of the workspace, and not for this user.
        if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return [];
        throw error;
      }
    }),
  );
  return places.flat().sort((one, other) => Number(other.isProduction) - Number(one.isProduction));
}

export function useEnvironments() {
  return useQuery({ queryKey: ['environments'], queryFn: listEnvironments, staleTime: 300_000 });
}

const lastKey = 'skein-environment';

export function rememberEnvironment(place: Pick<EnvironmentChoice, 'projectId' | 'environmentId'>): void {
  localStorage.setItem(lastKey, `${place.projectId}/${place.environmentId}`);
}

/** The place of the last time, if it is still there, else the first. */
export function findStart(places: readonly EnvironmentChoice[]): EnvironmentChoice | undefined {
  const last = localStorage.getItem(lastKey);
  return places.find(each => `${each.projectId}/${each.environmentId}` === last) ?? places[0];
}
