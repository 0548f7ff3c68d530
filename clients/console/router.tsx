/**
 * The addresses of the Console:
 *
 *   /console/sign-in                                                  to= where to go then
 *   /console/sign-up, /console/forgot-password
 *   /console/join, /console/reset, /console/verify                    #token= of a mailed link
 *   /console/settings[/canned-replies/{projectId}]
 *   /console                                                          chooses a project and an environment
 *   /console/{projectId}/{environmentId}/{queue}[/{threadId}]         works; message= of the thread to show
 */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { session } from '../kit/browser-session.ts';
import { readFilters } from './list/use-filters.ts';
import { ChooseProject } from './shell/choose-project.tsx';
import { Failed, NotFound } from './shell/problem-pages.tsx';
import { SignedIn } from './shell/signed-in.tsx';
import { Workplace } from './shell/workplace.tsx';
import { toConsolePath } from './sign-in/problems.ts';
import { NoThread } from './thread/no-thread.tsx';

const root = createRootRoute({ component: Outlet });

const signInRoute = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search): { readonly to?: string } =>
    typeof search['to'] === 'string' ? { to: search['to'] } : {},
  beforeLoad: async ({ search }) => {
    // Signed in meanwhile, in another tab.
    if ((await session.getToken()) !== undefined) throw redirect({ href: toConsolePath(search.to) });
  },
  component: lazyRouteComponent(() => import('./sign-in/sign-in.tsx'), 'SignIn'),
});

const signUpRoute = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  component: lazyRouteComponent(() => import('./sign-in/sign-up.tsx'), 'SignUp'),
});

const forgotRoute = createRoute({
  getParentRoute: () => root,
  path: '/forgot-password',
  component: lazyRouteComponent(() => import('./sign-in/forgot-password.tsx'), 'ForgotPassword'),
});

const joinRoute = createRoute({
  getParentRoute: () => root,
  path: '/join',
  component: lazyRouteComponent(() => import('./sign-in/join.tsx'), 'Join'),
});

const resetRoute = createRoute({
  getParentRoute: () => root,
  path: '/reset',
  component: lazyRouteComponent(() => import('./sign-in/reset-password.tsx'), 'ResetPassword'),
});

const verifyRoute = createRoute({
  getParentRoute: () => root,
  path: '/verify',
  component: lazyRouteComponent(() => import('./sign-in/verify-email.tsx'), 'VerifyEmail'),
});

/** Everything that needs somebody who is signed in. */
const signedInRoute = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ location }) => {
    // Who is signed in works on while the server cannot be reached, whatever has become of the token meanwhile.
    if (!session.isSignedIn && (await session.getToken()) === undefined) {
      throw redirect({ to: '/sign-in', search: { to: location.href } });
    }
  },
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
  basepath: '/console',
  defaultErrorComponent: Failed,
  defaultNotFoundComponent: NotFound,
  routeTree: root.addChildren([
    signInRoute,
    signUpRoute,
    forgotRoute,
    joinRoute,
    resetRoute,
    verifyRoute,
    signedInRoute.addChildren([
      startRoute,
      settingsRoute,
      cannedRepliesRoute,
      workplaceRoute.addChildren([noThreadRoute, threadRoute]),
    ]),
  ]),
});

// The session may end anywhere: by its owner in another tab, or by an administrator. The page is loaded anew, so that nothing of what it
// held for its operator stays.
session.onEnd(end => {
  const { pathname, href } = router.state.location;
  if (pathname === '/sign-in') return;
  location.assign(`/console/sign-in${end === 'expired' ? `?to=${encodeURIComponent(href)}` : ''}`);
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
