/**
 * The addresses of every app that need nobody who is signed in, below its own path:
 *
 *   /sign-in                       to= where to go then
 *   /sign-up, /forgot-password
 *   /sso                           to= where to go then; code=, state=, iss=, error= what an identity provider has sent back
 *   /no-workspace                  of somebody whose account belongs to none
 *   /join, /reset, /verify, /reject, /email #token= of a mailed link
 */
import {
  createRootRoute,
  createRoute,
  lazyRouteComponent,
  Outlet,
  redirect,
  type AnyRouter,
} from '@tanstack/react-router';
import type { AppIdentity } from '../app-identity.ts';
import { session } from '../browser-session.ts';
import { toPathIn } from './problems.ts';
// Reads what a provider has sent back before a router changes the address.
import './sso-answer.ts';

export const root = createRootRoute({ component: Outlet });

export function createAccountRoutes({ path }: AppIdentity) {
  const signInRoute = createRoute({
    getParentRoute: () => root,
    path: '/sign-in',
    validateSearch: (search): { readonly to?: string } =>
      typeof search['to'] === 'string' ? { to: search['to'] } : {},
    beforeLoad: async ({ search }) => {
      // Signed in meanwhile, in another tab.
      if ((await session.getToken()) !== undefined) throw redirect({ href: toPathIn(path, search.to) });
    },
    component: lazyRouteComponent(() => import('./sign-in.tsx'), 'SignIn'),
  });
  const ssoRoute = createRoute({
    getParentRoute: () => root,
    path: '/sso',
    validateSearch: (search): { readonly to?: string } =>
      typeof search['to'] === 'string' ? { to: search['to'] } : {},
    component: lazyRouteComponent(() => import('./sso.tsx'), 'SingleSignOn'),
  });
  const signUpRoute = createRoute({
    getParentRoute: () => root,
    path: '/sign-up',
    component: lazyRouteComponent(() => import('./sign-up.tsx'), 'SignUp'),
  });
  const forgotRoute = createRoute({
    getParentRoute: () => root,
    path: '/forgot-password',
    component: lazyRouteComponent(() => import('./forgot-password.tsx'), 'ForgotPassword'),
  });
  const noWorkspaceRoute = createRoute({
    getParentRoute: () => root,
    path: '/no-workspace',
    component: lazyRouteComponent(() => import('./no-workspace.tsx'), 'NoWorkspace'),
  });
  return [
    signInRoute,
    ssoRoute,
    signUpRoute,
    forgotRoute,
    noWorkspaceRoute,
    ...createMailedRoutes(),
  ] as const;
}

function createMailedRoutes() {
  const joinRoute = createRoute({
    getParentRoute: () => root,
    path: '/join',
    component: lazyRouteComponent(() => import('./join.tsx'), 'Join'),
  });
  const resetRoute = createRoute({
    getParentRoute: () => root,
    path: '/reset',
    component: lazyRouteComponent(() => import('./reset-password.tsx'), 'ResetPassword'),
  });
  const verifyRoute = createRoute({
    getParentRoute: () => root,
    path: '/verify',
    component: lazyRouteComponent(() => import('./verify-email.tsx'), 'VerifyEmail'),
  });
  const emailRoute = createRoute({
    getParentRoute: () => root,
    path: '/email',
    component: lazyRouteComponent(() => import('./change-email.tsx'), 'ChangeEmail'),
  });
  const rejectRoute = createRoute({
    getParentRoute: () => root,
    path: '/reject',
    component: lazyRouteComponent(() => import('./reject-account.tsx'), 'RejectAccount'),
  });
  return [joinRoute, resetRoute, verifyRoute, emailRoute, rejectRoute] as const;
}

/** Before any page of somebody who is signed in: others are led to the sign-in page, and from there back. */
export async function requireSession({
  location,
}: {
  readonly location: { readonly href: string };
}): Promise<void> {
  // Who is signed in works on while the server cannot be reached, whatever has become of the token meanwhile.
  if (session.isSignedIn || (await session.getToken()) !== undefined) return;
  if (session.lastEnd === 'noWorkspace') throw redirect({ to: '/no-workspace' });
  throw redirect({ to: '/sign-in', search: { to: location.href } });
}

interface LeaveOptions {
  /** The app shows ExpiredSession, so that nothing is lost that was typed. */
  readonly staysWhenExpired?: boolean;
}

/**
 * The session may end anywhere: by its owner in another tab, or by an administrator. The page is loaded anew, so that nothing of what it held
 * for its user stays.
 */
export function leaveWithSession(
  router: AnyRouter,
  { path }: AppIdentity,
  { staysWhenExpired = false }: LeaveOptions = {},
): void {
  session.onEnd(end => {
    const { pathname, href } = router.state.location;
    if (staysWhenExpired && end === 'expired') return;
    if (pathname === '/sign-in' || pathname === '/no-workspace') return;
    if (end === 'noWorkspace') return location.assign(`${path}/no-workspace`);
    location.assign(`${path}/sign-in${end === 'expired' ? `?to=${encodeURIComponent(href)}` : ''}`);
  });
}
