/** Leads to the project and environment of the last time, else to the first that the operator may work in. */
import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { skein } from '../../kit/browser-session.ts';
import { ApiError } from '../../sdk/index.ts';

async function findFirst() {
  const { data: projects } = await skein.projects.list();
  for (const { projectId } of projects) {
    try {
      const { data: environments } = await skein.environments.list({ projectId });
      const production = environments.find(each => each.kind === 'production') ?? environments[0];
      if (production !== undefined) return { projectId, environmentId: production.environmentId };
    } catch (error) {
      // Not a member of this one.
      if (!(error instanceof ApiError)) throw error;
    }
  }
  return undefined;
}

export function ChooseProject() {
  const { data: found } = useQuery({ queryKey: ['first-project'], queryFn: findFirst });
  if (found === undefined) return null;
  return <Navigate to="/$projectId/$environmentId/$queue" params={{ ...found, queue: 'mine' }} replace />;
}
