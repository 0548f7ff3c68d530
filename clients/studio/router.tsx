/**
 * The addresses of Studio, beside those of every app:
 *
 *   /studio                                          chooses a project and an environment
 *   /studio/{projectId}/{environmentId}              the start: what to do next
 *   .../keys, .../channels[/{channelId}], .../webhooks[/{stitchId}], .../messages, .../events
 *   .../agents[/{agentId}], .../instructions[/{loomId}], .../tools[/{toolId}], .../runs, .../providers, .../usage, .../team, .../audit
 *   /studio/workspace/{workspaceId}[/partner-apps]   a workspace and its projects; its apps at the chat provider
 *   /studio/chatapp                                  code=, state=, error= what the chat provider has sent back
 *   /studio/account                                  who is signed in
 *   /studio/system                                   how the service does, for those who operate it
 *
 * What is filtered or opened beside a list stands in the search parameters, so that every view can be linked to.
 */
import { createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { createAccountRoutes, leaveWithSession, requireSession, root } from '../kit/account/routes.ts';
import { Failed, NotFound } from '../kit/shell/problem-pages.tsx';
import { auditSearch } from './audit/audit-search.ts';
// Reads what the provider has sent back before a router changes the address.
import './channels/chatapp/signup-answer.ts';
import { identity } from './identity.ts';
import { readArchived } from './parts/archived-search.ts';
import { readSearch } from './parts/search.ts';
import { ChooseProject } from './shell/choose-project.tsx';
import { AccountFrame, WorkspaceFrame } from './shell/outer-frames.tsx';
import { SignedIn } from './shell/signed-in.tsx';
import { TenantFrame } from './shell/tenant-frame.tsx';

const signedInRoute = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: requireSession,
  component: SignedIn,
});

const startRoute = createRoute({ getParentRoute: () => signedInRoute, path: '/', component: ChooseProject });

const tenantRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/$projectId/$environmentId',
  component: TenantFrame,
});

const homeRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./home/home.tsx'), 'Home'),
});

const keysRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: '/keys',
  component: lazyRouteComponent(() => import('./keys/keys.tsx'), 'Keys'),
});

const channelsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: '/channels',
  component: lazyRouteComponent(() => import('./channels/channels.tsx'), 'Channels'),
});

const channelRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: '/channels/$channelId',
  validateSearch: search => readSearch(search, ['name', 'status', 'template']),
  component: lazyRouteComponent(() => import('./channels/channel.tsx'), 'ChannelPage'),
});

const webhooksRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: '/webhooks',
  validateSearch: readArchived,
  component: lazyRouteComponent(() => import('./webhooks/webhooks.tsx'), 'Webhooks'),
});

const webhookRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: '/webhooks/$stitchId',
  validateSearch: search => readSearch(search, ['status', 'name', 'event', 'since', 'until', 'delivery']),
  component: lazyRouteComponent(() => import('./webhooks/webhook.tsx'), 'WebhookPage'),
});

const messagesRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: '/messages',
  validateSearch: search => readSearch(search, ['q', 'message']),
  component: lazyRouteComponent(() => import('./messages/messages.tsx'), 'Messages'),
});

const eventsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: '/events',
  validateSearch: search => readSearch(search, ['name', 'thread', 'event']),
  component: lazyRouteComponent(() => import('./events/events.tsx'), 'Events'),
});

const agentsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: '/agents',
  validateSearch: readArchived,
  component: lazyRouteComponent(() => import('./agents/agents.tsx'), 'Agents'),
});

const agentRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: '/agents/$agentId',
  component: lazyRouteComponent(() => import('./agents/agent.tsx'), 'AgentPage'),
});

const loomsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: '/instructions',
  validateSearch: readArchived,
  component: lazyRouteComponent(() => import('./looms/looms.tsx'), 'Looms'),
});

const loomRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: '/instructions/$loomId',
  validateSearch: search => readSearch(search, ['version']),
  component: lazyRouteComponent(() => import('./looms/loom.tsx'), 'LoomPage'),
});

const toolsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: '/tools',
  component: lazyRouteComponent(() => import('./tools/tools.tsx'), 'Tools'),
});

const toolRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: '/tools/$toolId',
  component: lazyRouteComponent(() => import('./tools/tool.tsx'), 'ToolPage'),
});

const runsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: '/runs',
  validateSearch: search => readSearch(search, ['agent', 'status', 'run']),
  component: lazyRouteComponent(() => import('./runs/runs.tsx'), 'Runs'),
});

const credentialsRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: '/providers',
  validateSearch: search => readSearch(search, ['prices', 'provider', 'model']),
  component: lazyRouteComponent(() => import('./providers/credentials.tsx'), 'Credentials'),
});

const usageRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: '/usage',
  validateSearch: search => readSearch(search, ['by', 'days']),
  component: lazyRouteComponent(() => import('./usage/usage.tsx'), 'UsagePage'),
});

const teamRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: '/team',
  component: lazyRouteComponent(() => import('./team/team.tsx'), 'Team'),
});

const auditRoute = createRoute({
  getParentRoute: () => tenantRoute,
  path: '/audit',
  validateSearch: search => readSearch(search, auditSearch),
  component: lazyRouteComponent(() => import('./audit/audit.tsx'), 'Audit'),
});

/** Pages of a workspace as a whole. */
const workspaceRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/workspace/$workspaceId',
  component: WorkspaceFrame,
});

const workspaceStartRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./workspace/workspace-page.tsx'), 'WorkspacePage'),
});

const partnerAppsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/partner-apps',
  component: lazyRouteComponent(() => import('./partner-apps/partner-apps.tsx'), 'PartnerApps'),
});

/** Where the chat provider leads back to. */
const signupRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/chatapp',
  component: lazyRouteComponent(() => import('./channels/chatapp/signup-return.tsx'), 'SignupReturn'),
});

/** Pages of who is signed in. */
const accountRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/account',
  component: AccountFrame,
});

const accountStartRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./account/account.tsx'), 'Account'),
});

/** It has the frame of the account: it belongs to no project. */
const systemRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/system',
  component: AccountFrame,
});

const systemStartRoute = createRoute({
  getParentRoute: () => systemRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./system/system.tsx'), 'SystemPage'),
});

export const router = createRouter({
  basepath: identity.path,
  defaultErrorComponent: Failed,
  defaultNotFoundComponent: NotFound,
  routeTree: root.addChildren([
    ...createAccountRoutes(identity),
    signedInRoute.addChildren([
      startRoute,
      signupRoute,
      workspaceRoute.addChildren([workspaceStartRoute, partnerAppsRoute]),
      accountRoute.addChildren([accountStartRoute]),
      systemRoute.addChildren([systemStartRoute]),
      tenantRoute.addChildren([
        homeRoute,
        keysRoute,
        channelsRoute,
        channelRoute,
        webhooksRoute,
        webhookRoute,
        messagesRoute,
        eventsRoute,
        agentsRoute,
        agentRoute,
        loomsRoute,
        loomRoute,
        toolsRoute,
        toolRoute,
        runsRoute,
        credentialsRoute,
        usageRoute,
        teamRoute,
        auditRoute,
      ]),
    ]),
  ]),
});

leaveWithSession(router, identity, { staysWhenExpired: true });

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
