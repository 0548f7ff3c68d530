/**
 * The addresses of the Console:
 *
 *   /console/sign-in                                                  to= where to go then
 *   /console                                                          chooses a project and an environment
 *   /console/{projectId}/{environmentId}/{queue}[/{threadId}]         works
 */
import { createRootRoute, createRoute, createRouter, Outlet, redirect } from '@tanstack/react-router';
import { session } from '../kit/browser-session.ts';
import { ChooseProject } from './shell/choose-project.tsx';
import { Workplace } from './shell/workplace.tsx';
import { SignIn } from './sign-in/sign-in.tsx';
import { NoThread } from './thread/no-thread.tsx';
import { ThreadPane } from './thread/thread-pane.tsx';

const root = createRootRoute({ component: Outlet });

const signInRoute = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search): { readonly to?: string } =>
    typeof search['to'] === 'string' ? { to: search['to'] } : {},
  component: SignIn,
});

/** Everything that needs somebody who is signed in. */
const signedInRoute = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ location }) => {
    if ((await session.getToken()) === undefined) {
      throw redirect({ to: '/sign-in', search: { to: location.href } });
    }
  },
  component: Outlet,
});

const startRoute = createRoute({ getParentRoute: () => signedInRoute, path: '/', component: ChooseProject });

const workplaceRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/$projectId/$environmentId/$queue',
  component: Workplace,
});

const noThreadRoute = createRoute({ getParentRoute: () => workplaceRoute, path: '/', component: NoThread });

const threadRoute = createRoute({
  getParentRoute: () => workplaceRoute,
  path: '/$threadId',
  component: ThreadPane,
});

export const router = createRouter({
  basepath: '/console',
  routeTree: root.addChildren([
    signInRoute,
    signedInRoute.addChildren([startRoute, workplaceRoute.addChildren([noThreadRoute, threadRoute])]),
  ]),
});

// The session may end anywhere: by its owner in another tab, or by an administrator.
session.onEnd(() => {
  const { pathname, href } = router.state.location;
  if (pathname !== '/sign-in') void router.navigate({ to: '/sign-in', search: { to: href } });
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
