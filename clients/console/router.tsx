/**
 * The addresses of the Console, beside those of every app:
 *
 *   /console/settings[/canned-replies/{projectId}]
 *   /console/account
 *   /console                                                          chooses a project and an environment
 *   /console/{projectId}/{environmentId}/{queue}[/{threadId}]         works; message= of the thread to show
 */
import { createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { createAccountRoutes, leaveWithSession, requireSession, root } from '../kit/account/routes.ts';
import { Failed, NotFound } from '../kit/shell/problem-pages.tsx';
import { identity } from './identity.ts';
import { readFilters } from './list/use-filters.ts';
import { ChooseProject } from './shell/choose-project.tsx';
import { SignedIn } from './shell/signed-in.tsx';
import { Workplace } from './shell/workplace.tsx';
import { NoThread } from './thread/no-thread.tsx';

/** Everything that needs somebody who is signed in. */
const signedInRoute = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: requireSession,
  component: SignedIn,
});

const startRoute = createRoute({ getParentRoute: () => signedInRoute, path: '/', component: ChooseProject });

const workplaceRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/$projectId/$environmentId/$queue',
  validateSearch: readFilters,
  component: Workplace,
});

const settingsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/settings',
  component: lazyRouteComponent(() => import('./settings/settings.tsx'), 'Settings'),
});

const accountRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/account',
  component: lazyRouteComponent(() => import('./settings/account.tsx'), 'Account'),
});

const cannedRepliesRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/settings/canned-replies/$projectId',
  component: lazyRouteComponent(() => import('./settings/canned-replies.tsx'), 'CannedReplies'),
});

const noThreadRoute = createRoute({ getParentRoute: () => workplaceRoute, path: '/', component: NoThread });

const threadRoute = createRoute({
  getParentRoute: () => workplaceRoute,
  path: '/$threadId',
  validateSearch: (search): { readonly message?: string } =>
    typeof search['message'] === 'string' ? { message: search['message'] } : {},
  component: lazyRouteComponent(() => import('./thread/thread-pane.tsx'), 'ThreadPane'),
});

export const router = createRouter({
  basepath: identity.path,
  defaultErrorComponent: Failed,
  defaultNotFoundComponent: NotFound,
  routeTree: root.addChildren([
    ...createAccountRoutes(identity),
    signedInRoute.addChildren([
      startRoute,
      settingsRoute,
      accountRoute,
      cannedRepliesRoute,
      workplaceRoute.addChildren([noThreadRoute, threadRoute]),
    ]),
  ]),
});

leaveWithSession(router, identity);

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
